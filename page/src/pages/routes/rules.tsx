import type { Route } from '../../api/index.ts';
import { Code, Name, Panel } from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { percent } from '../../text/index.ts';
import { routeWords } from './words.ts';

/** What the page reads of a rule; the rest stays in the manifest. */
interface Rule {
  readonly name?: string;
  readonly matches?: readonly Record<string, unknown>[];
  readonly filters?: readonly { readonly type: string; readonly [field: string]: unknown }[];
  readonly backendRefs?: readonly BackendRef[];
}

interface BackendRef {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly port?: number;
  readonly weight?: number;
}

/** Rules as match → filters → backends with their shares. */
export function RouteRules({ route }: { readonly route: Route }) {
  const words = routeWords();
  return (
    <Panel title={words.rules}>
      <ol class="rules" start={0}>
        {(route.rules as readonly Rule[]).map((rule, at) => (
          <li key={at}>
            <strong>
              {words.rule(at)} {rule.name !== undefined && <Name>{rule.name}</Name>}
            </strong>
            <dl class="facts">
              <div>
                <dt>{words.matches}</dt>
                <dd>
                  <Matches matches={rule.matches ?? []} />
                </dd>
              </div>
              {(rule.filters ?? []).length > 0 && (
                <div>
                  <dt>{words.filters}</dt>
                  <dd>
                    {rule.filters?.map((filter, place) => (
                      <details key={place}>
                        <summary>{filter.type}</summary>
                        <Code label={filter.type} text={JSON.stringify(filter, undefined, 2)} />
                      </details>
                    ))}
                  </dd>
                </div>
              )}
              <div>
                <dt>{words.to}</dt>
                <dd>
                  <Backends refs={rule.backendRefs ?? []} namespace={route.namespace} />
                </dd>
              </div>
            </dl>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Matches({ matches }: { readonly matches: readonly Record<string, unknown>[] }) {
  if (matches.length === 0) return <>{routeWords().anything}</>;
  return (
    <ul>
      {matches.map((match, at) => (
        <li key={at}>
          <Name>{matchText(match)}</Name>
        </li>
      ))}
    </ul>
  );
}

interface Valued {
  readonly type?: string;
  readonly name?: string;
  readonly value?: string;
}

/** A match in one line: `GET /cart… x-user = 1 ?q ~ a+`. */
function matchText(match: Record<string, unknown>): string {
  const {
    method,
    path,
    headers = [],
    queryParams = [],
  } = match as {
    method?: string | { service?: string; method?: string };
    path?: Valued;
    headers?: readonly Valued[];
    queryParams?: readonly Valued[];
  };
  const sign = ({ type }: Valued): string => (type === 'RegularExpression' ? '~' : '=');
  const called = typeof method === 'object' ? `${method.service ?? '*'}/${method.method ?? '*'}` : method;
  const asked =
    path &&
    (path.type === 'PathPrefix'
      ? `${path.value}…`
      : path.type === 'RegularExpression'
        ? `~ ${path.value}`
        : path.value);
  return [
    called,
    asked,
    ...headers.map((each) => `${each.name} ${sign(each)} ${each.value}`),
    ...queryParams.map((each) => `?${each.name} ${sign(each)} ${each.value}`),
  ]
    .filter(Boolean)
    .join(' ');
}

function Backends({ refs, namespace }: { readonly refs: readonly BackendRef[]; readonly namespace: string }) {
  const total = refs.reduce((sum, { weight = 1 }) => sum + weight, 0);
  if (total === 0) return <span class="quiet">{routeWords().noBackend}</span>;
  return (
    <ul>
      {refs.map(({ kind = 'Service', namespace: at = namespace, name, port, weight = 1 }) => {
        const text = `${at}/${name}${port === undefined ? '' : `:${port}`}`;
        return (
          <li key={`${kind} ${text}`}>
            {kind === 'Service' ? (
              <a href={link('backends', [at, `${name}:${port}`])}>
                <Name>{text}</Name>
              </a>
            ) : (
              <>
                {kind} <Name>{text}</Name>
              </>
            )}{' '}
            {refs.length > 1 && <span class="quiet">{percent(weight / total)}</span>}
          </li>
        );
      })}
    </ul>
  );
}

import { apiUrl, type BackendEndpoint, type LightBackend } from '../../api/index.ts';
import { now, trafficEvents, useLive } from '../../live/index.ts';
import { Badge, Fact, FailureList, Gone, Loaded, Message, Name, ObjectLink, Panel, Title } from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { ago, count } from '../../text/index.ts';
import { fails, useAiFigures } from './ai.ts';
import { PicksPanel } from './picks.tsx';
import { stateOfVerdict, verdictOf } from './verdict.ts';
import { backendWords } from './words.ts';

/** One port of a Service: its endpoints with the verdict of each, and its failed requests. */
export function BackendDetail({ namespace, name }: { readonly namespace: string; readonly name: string }) {
  const words = backendWords();
  const back = { href: link('backends'), text: words.back };
  const backend = useLive<LightBackend>(
    apiUrl(`/v1/backends/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`, { view: 'light' }),
    {
      on: trafficEvents,
    },
  );
  if (backend.error?.status === 404) return <Gone back={back}>{words.gone}</Gone>;
  return (
    <>
      <Title at={backend.at} back={back}>
        <Name>{`${namespace}/${name.replace(/:0$/, '')}`}</Name>
      </Title>
      <Loaded live={backend}>
        {(data) => (
          <>
            {data.problem !== null && (
              <p class="notice failing" role="alert">
                {words.problem}: <Message>{data.problem}</Message>
              </p>
            )}
            {data.kind === 'AIService' && <AiRequests backend={data} />}
            <Endpoints backend={data} />
            {data.pool && <PicksPanel pool={data.pool} />}
            <Panel title={words.usedBy}>
              <dl class="facts">
                <Fact name={words.protocol}>{data.protocol}</Fact>
                <Fact name={words.balancing}>{data.loadBalancing.policy}</Fact>
                {data.tls !== null && (
                  <Fact name={words.tls}>
                    <Name>{data.tls.hostname}</Name>
                  </Fact>
                )}
              </dl>
              <ul>
                {data.referencedBy.first.map((object) => (
                  <li key={`${object.kind}/${object.namespace}/${object.name}`}>
                    <ObjectLink object={object} />
                  </li>
                ))}
              </ul>
              {data.referencedBy.count > data.referencedBy.first.length && (
                <p class="quiet">{words.more(data.referencedBy.count - data.referencedBy.first.length)}</p>
              )}
            </Panel>
          </>
        )}
      </Loaded>
      <FailureList title={words.failures} none={words.noFailures} filter={{ backend: `${namespace}/${name}` }} />
    </>
  );
}

/** Failed requests to it are kept with the rules that lead to it, and with what was used. */
function AiRequests({ backend }: { readonly backend: LightBackend }) {
  const words = backendWords();
  const figures = useAiFigures(true)(backend);
  if (figures === undefined) return null;
  const { requests, errors } = figures;
  return (
    <p class={fails(figures) ? 'notice failing' : 'quiet'} data-errors={errors}>
      {words.aiRequests(requests, count(errors))} <a href={link('ai')}>{words.ai}</a>
    </p>
  );
}

function Endpoints({ backend: { endpoints, hostname } }: { readonly backend: LightBackend }) {
  const words = backendWords();
  return (
    <Panel title={words.endpoints}>
      {hostname !== null && (
        <p>
          {words.byName}: <Name>{hostname}</Name>
        </p>
      )}
      {endpoints.length === 0 && hostname === null && <Badge state="failing">{words.noEndpoint}</Badge>}
      <ul class="endpoints">
        {endpoints.map((endpoint) => (
          <li key={endpoint.address}>
            <Name>{endpoint.address}</Name>{' '}
            <Badge state={stateOfVerdict(verdictOf(endpoint))}>{words[verdictOf(endpoint)]}</Badge>{' '}
            {endpoint.zone !== null && (
              <span class="quiet">
                {words.zone} <Name>{endpoint.zone}</Name>
              </span>
            )}
            <Reasons endpoint={endpoint} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Reasons({ endpoint: { verdicts } }: { readonly endpoint: BackendEndpoint }) {
  const words = backendWords();
  const bad = verdicts.filter(({ verdict }) => verdict !== 'serving');
  if (bad.length === 0) return null;
  return (
    <ul class="quiet">
      {bad.map(({ source, verdict, detail, since, node }) => (
        <li key={`${source} ${verdict} ${node}`}>
          {words[verdict]} {words.says(words[source])} {node !== null && <Name>{node}</Name>}{' '}
          {detail !== null && <Message>{detail}</Message>} {since !== null && ago(new Date(since), now.value)}
        </li>
      ))}
    </ul>
  );
}

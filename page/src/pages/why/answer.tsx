import type { RouteTest, RouteTestBackend, RouteTestCandidate } from '../../api/index.ts';
import {
  Badge,
  Code,
  Fact,
  FailureList,
  Message,
  Name,
  ObjectLink,
  Panel,
  PickList,
  type State,
} from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { percent, ruleLabel } from '../../text/index.ts';
import { AccessPanel } from './access.tsx';
import { whyWords } from './words.ts';

const stateOf = ({ outcome, backends, status }: RouteTest): State => {
  if (outcome === 'forward') return backends.some(isFailing) ? 'failing' : 'ok';
  return outcome === 'redirect' || (outcome === 'respond' && (status ?? 500) < 500) ? 'ok' : 'failing';
};

const isFailing = ({ failing, endpoints, status }: RouteTestBackend): boolean =>
  failing !== null || endpoints === 0 || (status ?? 0) >= 500;

/** What happens to the request, from the listener to the endpoint. */
export function Answer({ test }: { readonly test: RouteTest }) {
  const words = whyWords();
  const {
    outcome,
    reason,
    status,
    location,
    listener,
    gateway,
    route,
    backends,
    request,
    hints,
    filters,
    alsoAt,
    access,
  } = test;
  return (
    <div class="answer" data-outcome={outcome}>
      <section class={`panel verdict ${stateOf(test)}`}>
        <h2>
          <Badge state={stateOf(test)}>{words[outcome]}</Badge>
        </h2>
        <p>
          <Message>{reason}</Message>
        </p>
        <dl class="facts">
          <Fact name={words.gateway}>
            <ObjectLink object={{ kind: 'Gateway', ...gateway }} withKind={false} />
          </Fact>
          {listener !== null && (
            <Fact name={words.listener}>
              <a href={link('listeners', [listener])}>
                <Name>{listener}</Name>
              </a>
            </Fact>
          )}
          {route !== null && (
            <Fact name={words.by}>
              <ObjectLink object={route} />{' '}
              <span class="quiet">{words.rule(ruleLabel(route.rule, route.ruleName), route.match)}</span>
            </Fact>
          )}
          {status !== null && <Fact name={words.status}>{status}</Fact>}
          {location !== null && (
            <Fact name={words.location}>
              <Name>{location}</Name>
            </Fact>
          )}
          {request !== null && (
            <Fact name={words.request}>
              <Name>
                {request.host}
                {request.path}
              </Name>
            </Fact>
          )}
          {backends.map((backend) => (
            <Fact key={`${backend.namespace}/${backend.service}:${backend.port}`} name={words.to}>
              <BackendLine backend={backend} />
            </Fact>
          ))}
        </dl>
        {hints.length > 0 && <Hints hints={hints} />}
      </section>
      {access !== null && <AccessPanel access={access} />}
      {filters !== null && Object.keys(filters).length > 0 && (
        <Panel title={words.filters}>
          <Code label={words.filters} text={JSON.stringify(filters, undefined, 2)} />
        </Panel>
      )}
      {route !== null && (
        <FailureList
          title={words.lately}
          none={words.noneLately}
          filter={{ route: `${route.kind}/${route.namespace}/${route.name}` }}
          limit={5}
        />
      )}
      {test.candidates.length > 0 && <Candidates test={test} />}
      {alsoAt.length > 0 && (
        <Panel title={words.elsewhere}>
          <ul>
            {alsoAt.map(({ gateway: other, outcome: there, status: answered }) => (
              <li key={`${other.namespace}/${other.name}`}>
                <ObjectLink object={{ kind: 'Gateway', ...other }} />: {words[there]} {answered}
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}

function BackendLine({ backend }: { readonly backend: RouteTestBackend }) {
  const words = whyWords();
  const { namespace, service, port, share, endpoints, picker, status, failing } = backend;
  const name = service === null ? String(status ?? '') : `${service}:${port}`;
  return (
    <>
      {service !== null && namespace !== null ? (
        <a href={link('backends', [namespace, name])}>
          <Name>{`${namespace}/${port === 0 ? service : name}`}</Name>
        </a>
      ) : (
        <Name>{name}</Name>
      )}{' '}
      <span class="quiet">
        {share < 1 && words.share(percent(share))} {endpoints !== null && words.endpoints(endpoints)}
        {picker !== null && words.pickedBy(picker.service, picker.failureMode === 'FailOpen')}
      </span>
      {picker !== null && <PickList picks={picker.lately} />}
      {failing !== null && (
        <>
          {' '}
          <Badge state="failing">
            <Message>{failing.message}</Message>
          </Badge>
        </>
      )}
    </>
  );
}

function Hints({ hints }: { readonly hints: readonly string[] }) {
  return (
    <>
      <h3>{whyWords().hints}</h3>
      <ul>
        {hints.map((hint) => (
          <li key={hint}>
            <Message>{hint}</Message>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Only the chosen one has a sign: that a rule does not match is neither good nor bad. */
function Outcome({ outcome }: Pick<RouteTestCandidate, 'outcome'>) {
  const word = whyWords()[outcome];
  return outcome === 'chosen' ? <Badge state="ok">{word}</Badge> : <span>{word}</span>;
}

function Candidates({ test: { candidates, candidateCount } }: { readonly test: RouteTest }) {
  const words = whyWords();
  return (
    <Panel title={words.candidates}>
      <ol class="candidates">
        {candidates.map((candidate) => (
          <li
            key={`${candidate.kind}/${candidate.namespace}/${candidate.name}/${candidate.rule}/${candidate.match}/${candidate.host}`}
          >
            <Outcome outcome={candidate.outcome} /> <ObjectLink object={candidate} />{' '}
            <span class="quiet">{words.rule(ruleLabel(candidate.rule, candidate.ruleName), candidate.match)}</span>{' '}
            {candidate.reason !== null && <Message>{candidate.reason}</Message>}
          </li>
        ))}
      </ol>
      {candidateCount > candidates.length && <p class="quiet">{words.more(candidateCount - candidates.length)}</p>}
    </Panel>
  );
}

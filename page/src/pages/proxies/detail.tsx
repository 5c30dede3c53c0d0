import { apiUrl, type DataPlaneSummary, type Node, type Rejection, type SnapshotSync } from '../../api/index.ts';
import { now, useLive } from '../../live/index.ts';
import {
  Badge,
  Code,
  Fact,
  Gone,
  Loaded,
  Message,
  Name,
  ObjectLink,
  Panel,
  placeOfObject,
  readRouteName,
  Title,
} from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { ago } from '../../text/index.ts';
import { proxyEvents } from './list.tsx';
import { type ProxyRow, rowsOf, shortId, stateOfProxy } from './state.ts';
import { proxyWords } from './words.ts';

/** One proxy: what it runs, what it rejects and why. */
export function ProxyDetail({ name }: { readonly name: string }) {
  const words = proxyWords();
  const back = { href: link('proxies'), text: words.back };
  const node = useLive<Node>(apiUrl(`/v1/nodes/${encodeURIComponent(name)}`), { on: proxyEvents });
  const sync = useLive<SnapshotSync>(apiUrl('/v1/snapshot-sync'), { on: proxyEvents });
  if (node.error?.status === 404) return <Gone back={back}>{words.gone}</Gone>;
  return (
    <>
      <Title at={node.at} back={back}>
        {words.name} <Name>{name}</Name>
      </Title>
      <Loaded live={node}>
        {(data) => {
          const [row] = rowsOf([data], sync.data?.nodes ?? []);
          return (
            row && (
              <>
                <Standing row={row} newest={sync.data?.snapshotVersion ?? null} />
                <Rejections row={row} />
              </>
            )
          );
        }}
      </Loaded>
      <AgentFigures name={name} />
    </>
  );
}

function Standing({ row, newest }: { readonly row: ProxyRow; readonly newest: string | null }) {
  const words = proxyWords();
  const [namespace = '', gateway = ''] = row.gateway.split('/');
  return (
    <Panel title={words.stands}>
      <p>
        <Badge state={stateOfProxy(row)}>{words[row.refusalCount > 0 ? 'rejected' : row.standing]}</Badge>
      </p>
      <dl class="facts">
        <Fact name={words.gateway}>
          <ObjectLink object={{ kind: 'Gateway', namespace, name: gateway }} withKind={false} />
        </Fact>
        <Fact name={words.applied}>
          <Name>{shortId(row.lastAckVersion)}</Name>
        </Fact>
        <Fact name={words.sent}>
          <Name>{shortId(row.lastSentVersion)}</Name>
        </Fact>
        <Fact name={words.newest}>
          <Name>{shortId(newest)}</Name>
        </Fact>
        <Fact name={words.envoy}>{row.envoyVersion}</Fact>
        <Fact name={words.agent}>{row.version}</Fact>
        <Fact name={words.connected}>{ago(new Date(row.connectedAt), now.value)}</Fact>
        <Fact name={words.seen}>{ago(new Date(row.lastSeenAt), now.value)}</Fact>
        <Fact name={words.replica}>
          <Name>{row.replica}</Name>
        </Fact>
        <Fact name={words.peer}>
          <Name>{row.peer}</Name>
        </Fact>
      </dl>
    </Panel>
  );
}

function Rejections({ row: { refusals, lastNackMessage } }: { readonly row: ProxyRow }) {
  const words = proxyWords();
  return (
    <Panel title={words.rejections}>
      {refusals.length === 0 && lastNackMessage === null && <p class="quiet">{words.noRejection}</p>}
      {lastNackMessage !== null && (
        <>
          <h3>{words.rejection}</h3>
          <Code label={words.rejection} text={lastNackMessage} />
        </>
      )}
      {refusals.length > 0 && (
        <ul class="conditions">
          {refusals.map((rejection) => (
            <Rejected key={`${rejection.kind} ${rejection.key}`} rejection={rejection} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Rejected({ rejection: { kind, key, message, since, heldBackFrom } }: { readonly rejection: Rejection }) {
  const words = proxyWords();
  const named = readRouteName(key);
  const isRoute = placeOfObject(named) !== undefined;
  return (
    <li>
      <Badge state="failing">
        {kind} {isRoute ? <ObjectLink object={named} /> : <Name>{key}</Name>}
      </Badge>{' '}
      <span class="quiet">
        {heldBackFrom === 'fleet' ? words.heldFleet : words.held}, {ago(new Date(since), now.value)}
      </span>
      <p>
        <Message>{message}</Message>
      </p>
    </li>
  );
}

/** What the agent beside the proxy says: asked now, and only while this is shown. */
function AgentFigures({ name }: { readonly name: string }) {
  const words = proxyWords();
  const summary = useLive<DataPlaneSummary>(apiUrl(`/v1/dataplanes/${encodeURIComponent(name)}/summary`), { on: [] });
  return (
    <Panel title={words.figures} live={summary}>
      {summary.data === undefined ? (
        <p class="quiet">{words.unknownFigures}</p>
      ) : (
        <Code label={words.figures} text={JSON.stringify(summary.data, undefined, 2)} />
      )}
    </Panel>
  );
}

import { apiUrl, type Node, type SnapshotSync } from '../../api/index.ts';
import { now, useLive } from '../../live/index.ts';
import { Badge, Filtered, type GridColumn, Loaded, Name, Title } from '../../parts/index.ts';
import { link } from '../../router/index.ts';
import { ago } from '../../text/index.ts';
import { type ProxyRow, rowsOf, shortId, stateOfProxy } from './state.ts';
import { proxyWords } from './words.ts';

/** Events that change what is said of proxies. */
export const proxyEvents = ['node', 'snapshot'] as const;

export function ProxyList() {
  const words = proxyWords();
  const nodes = useLive<readonly Node[]>(apiUrl('/v1/nodes'), { on: proxyEvents });
  const sync = useLive<SnapshotSync>(apiUrl('/v1/snapshot-sync'), { on: proxyEvents });
  return (
    <>
      <Title at={nodes.at}>{words.title}</Title>
      <Loaded live={nodes}>
        {(data) => (
          <Filtered
            label={words.title}
            filter={words.filter}
            rows={rowsOf(data, sync.data?.nodes ?? [])}
            columns={columnsOf()}
            keyOf={({ nodeId, cluster }) => `${cluster} ${nodeId}`}
            hrefOf={({ nodeId }) => link('proxies', [nodeId])}
            textOf={({ nodeId, gateway, envoyVersion, version }) =>
              `${nodeId} ${gateway} ${envoyVersion} ${version}`.toLowerCase()
            }
            shown={words.shown}
            empty={words.empty}
            none={words.none}
          />
        )}
      </Loaded>
    </>
  );
}

function columnsOf(): readonly GridColumn<ProxyRow>[] {
  const words = proxyWords();
  return [
    {
      key: 'name',
      title: words.name,
      width: 'minmax(10rem, 2fr)',
      cell: ({ nodeId }) => <Name>{nodeId}</Name>,
      compare: (a, b) => a.nodeId.localeCompare(b.nodeId),
    },
    {
      key: 'state',
      title: words.state,
      width: 'minmax(9rem, 1.5fr)',
      cell: (row) => <Badge state={stateOfProxy(row)}>{words[row.refusalCount > 0 ? 'rejected' : row.standing]}</Badge>,
      compare: (a, b) => stateOfProxy(a).localeCompare(stateOfProxy(b)),
    },
    {
      key: 'gateway',
      title: words.gateway,
      width: 'minmax(8rem, 1.5fr)',
      cell: ({ gateway }) => <Name>{gateway}</Name>,
      compare: (a, b) => a.gateway.localeCompare(b.gateway),
    },
    {
      key: 'snapshot',
      title: words.snapshot,
      width: '8.5rem',
      cell: ({ lastAckVersion }) => <Name>{shortId(lastAckVersion)}</Name>,
    },
    { key: 'envoy', title: words.envoy, width: '5rem', cell: ({ envoyVersion }) => envoyVersion },
    { key: 'agent', title: words.agent, width: '5rem', cell: ({ version }) => version },
    {
      key: 'seen',
      title: words.seen,
      width: '8rem',
      cell: ({ lastSeenAt }) => ago(new Date(lastSeenAt), now.value),
      compare: (a, b) => a.lastSeenAt.localeCompare(b.lastSeenAt),
    },
  ];
}

import type { NodeView } from '../../xds/index.ts';
import type { AdminSources } from '../sources.ts';
import { isLost } from '../summary/warnings.ts';

/** One data plane. Empty strings stand for what the node did not tell, null for what has not happened. */
export interface NodeRecord {
  readonly nodeId: string;
  readonly name: string;
  readonly gateway: string;
  /** False: there is no such Gateway, and the node waits for it. */
  readonly gatewayKnown: boolean;
  readonly cluster: string;
  readonly version: string;
  readonly envoyVersion: string;
  readonly connected: boolean;
  readonly ready: boolean;
  readonly connectedAt: Date;
  readonly disconnectedAt: Date | null;
  readonly disconnectReason: string | null;
  readonly lastSeenAt: Date;
  readonly lastSentVersion: string | null;
  readonly lastAckVersion: string | null;
  readonly lastConfigVersion: string | null;
  readonly lastNonce: string | null;
  readonly lastConfigStatus: 'ACK' | 'NACK' | null;
  readonly lastNackVersion: string | null;
  readonly lastNackMessage: string | null;
  /** Type URLs. */
  readonly subscriptions: readonly string[];
  readonly stream: 'delta' | 'sotw';
  readonly peer: string;
  /** Which control plane replica it is connected to. */
  readonly replica: string;
  /** When that replica was last heard of, if it is not heard of any more: the rest may be out of date. */
  readonly staleSince: Date | null;
  readonly supersededCount: number;
  /** What it refuses and is not sent: the first 64. */
  readonly refusals: readonly NodeRefusalRecord[];
  readonly refusalCount: number;
}

/** Content that a data plane refuses. */
export interface NodeRefusalRecord {
  readonly kind: 'route' | 'backend' | 'endpoints' | 'listener' | 'secret';
  /** Of a route `KIND/NAMESPACE/NAME`; of a listener `PROTOCOL/PORT`, with `|NAME` for one of several on a port; else what the snapshot calls it. */
  readonly key: string;
  /** Type URL of the Envoy resource that it was first refused in. */
  readonly resourceType: string;
  /** In the proxy's words. */
  readonly message: string;
  readonly since: Date;
  /** `fleet`: all proxies of the Gateway refuse it, and the object's conditions say so. `node`: others have it. */
  readonly heldBackFrom: 'node' | 'fleet';
}

export const nodeRecord = (
  node: NodeView,
  { leadership, graph }: Pick<AdminSources, 'leadership' | 'graph'>,
): NodeRecord => ({
  nodeId: node.nodeId,
  name: node.nodeId,
  gateway: node.gateway,
  gatewayKnown: !isLost(node, graph),
  cluster: node.cluster,
  version: node.version,
  envoyVersion: node.envoyVersion,
  connected: node.connected,
  ready: node.ready,
  connectedAt: node.connectedAt,
  disconnectedAt: node.disconnectedAt ?? null,
  disconnectReason: node.disconnectReason ?? null,
  lastSeenAt: node.lastSeenAt,
  lastSentVersion: node.lastSentVersion ?? null,
  lastAckVersion: node.lastAckVersion ?? null,
  lastConfigVersion: node.lastConfigVersion ?? null,
  lastNonce: node.lastNonce ?? null,
  lastConfigStatus: node.lastConfigStatus ?? null,
  lastNackVersion: node.lastNackVersion ?? null,
  lastNackMessage: node.lastNackMessage ?? null,
  subscriptions: node.subscriptions,
  stream: node.stream,
  peer: node.peer,
  replica: node.replica ?? leadership().identity,
  staleSince: node.staleSince ?? null,
  supersededCount: node.supersededCount,
  refusals: refusalRecords(node, graph),
  refusalCount: node.refusalCount,
});

export const refusalRecords = ({ refusals, gateway }: NodeView, graph: AdminSources['graph']): NodeRefusalRecord[] =>
  refusals.map(({ kind, key, digest, typeUrl: resourceType, message, since }) => ({
    kind,
    key,
    resourceType,
    message,
    since,
    heldBackFrom: graph.isHeld({ kind, gateway, key, digest }) ? 'fleet' : 'node',
  }));

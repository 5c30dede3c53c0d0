import { type EventLog, nodeEvent, type Tokens } from '../../admin/index.ts';
import { type ReplicaNodes, Replicas, type ReplicaTiming } from '../../cluster/replicas/index.ts';
import type { Config } from '../../config/index.ts';
import type { Builder, Graph } from '../../graph/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';
import type { NodeEvent, NodeRef, NodeView, XdsServer } from '../../xds/index.ts';
import type { Metrics } from '../metrics.ts';

export interface CreateReplicasOptions {
  readonly config: Pick<Config, 'replicas'>;
  /** What the others ask for, too. */
  readonly tokens: Tokens;
  readonly nodes: ReplicaNodes;
  readonly graph: Graph;
  readonly builder: Pick<Builder, 'changed'>;
  readonly xds: XdsServer;
  readonly events: EventLog;
  readonly metrics: Pick<Metrics, 'replicas'>;
  readonly logger: Logger;
  readonly timing?: Partial<ReplicaTiming> | undefined;
  /** A data plane of another replica may have changed. */
  readonly looked: (node: NodeRef) => void;
}

/** The other control planes: what they tell goes to graph, streams and events as what happens here does. */
export function createReplicas(options: CreateReplicasOptions): Replicas {
  const { config, tokens, nodes, graph, builder, xds, events, metrics } = options;
  const logger = componentLogger(options.logger, 'replicas');
  return new Replicas({
    nodes,
    places: config.replicas,
    snapshot: () => graph.snapshot()?.id,
    token: async () => {
      // What this one knows may be older than what the others do.
      await tokens.refresh?.();
      return await tokenFor(tokens)();
    },
    logger,
    onPeers: metrics.replicas.peers,
    timing: options.timing,
    hooks: {
      nodeChanged(before, after) {
        for (const event of eventsBetween(before, after)) events.add('node', nodeEvent(event) ?? {});
      },
      applied: (gateway, listeners) => graph.acknowledge(gateway, listeners),
      giveUp: (node, replica) => xds.giveUp(node, replica),
      looked: options.looked,
      offerAgain: (node) => xds.offerAgain(node),
      taken: () => graph.isDirty && builder.changed(),
    },
  });
}

/** The token that is for reading where there is one, else the full one: the others have the same configuration. */
export const tokenFor =
  ({ full, readOnly }: Tokens) =>
  async (): Promise<string | undefined> =>
    ((await readOnly()) ?? (await full()))?.reveal();

function eventsBetween(before: NodeView | undefined, after: NodeView | undefined): NodeEvent[] {
  if (after === undefined) return before === undefined ? [] : [{ kind: 'forgotten', node: before }];
  if (before?.connected && !after.connected)
    return [{ kind: 'disconnected', node: after, reason: (after.disconnectReason ?? 'error') as never }];
  const isNew = after.connected && before?.connectedAt.getTime() !== after.connectedAt.getTime();
  const { lastAckVersion } = after;
  const hasApplied = lastAckVersion !== undefined && lastAckVersion !== before?.lastAckVersion;
  return [
    ...(isNew ? [{ kind: 'connected', node: after } as const] : []),
    ...(hasApplied && after.connected ? [{ kind: 'applied', node: after, snapshot: lastAckVersion } as const] : []),
  ];
}

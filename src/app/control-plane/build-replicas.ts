import { nodeEvent, type Tokens } from '../../admin/index.ts';
import { Replicas } from '../../cluster/replicas/index.ts';
import type { SharedLimits } from '../../shared-limits/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { NodeEvent, NodeRef, NodeView } from '../../xds/index.ts';
import type { Core } from './core.ts';

/** What looks at a node when something about it may have changed. */
interface NodeWatch {
  look(node: NodeRef): void;
}

/** The other control planes: what they report goes to graph, streams and events as what happens here does. */
export function buildReplicas(core: Core, watches: readonly NodeWatch[], limits: SharedLimits): Replicas {
  const { config, tokens, nodes, graph, trigger, xds, events, metrics } = core;
  return new Replicas({
    nodes,
    places: config.replicas,
    snapshot: () => graph.snapshot()?.id,
    token: async () => {
      // What this one knows may be older than what the others do.
      await tokens.refresh?.();
      return await tokenFor(tokens)();
    },
    logger: componentLogger(core.logger, 'replicas'),
    clock: core.clock,
    onPeers: metrics.replicas.peers,
    timing: core.replicaTiming,
    hooks: {
      nodeChanged(before, after) {
        for (const event of eventsBetween(before, after)) events.add('node', nodeEvent(event) ?? {});
      },
      applied: (gateway, listeners) => graph.acknowledge(gateway, listeners),
      giveUp: (node, replica) => xds.giveUp(node, replica),
      looked(node) {
        for (const watch of watches) watch.look(node);
      },
      isGone: (node) => xds.isGone(node),
      offerAgain: (node) => xds.offerAgain(node),
      requestsFailed: () => events.signal('traffic'),
      limitsAsked: (replica, message) => limits.asked(replica, message),
      limitsGranted: (replica, message) => limits.answered(replica, message),
      parted: (replica) => limits.parted(replica),
      taken: () => trigger.fireIfDirty(),
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

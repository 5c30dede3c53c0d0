import type { Electorate, Feed } from '../../cluster/replicas/index.ts';
import type { Graph } from '../../graph/index.ts';
import { formatDigest } from '../../ir/index.ts';
import type { NodeEvent } from '../../xds/index.ts';
import type { BuildTrigger } from './build-trigger.ts';
import type { DatabaseReports } from './database-reports.ts';
import type { Publisher } from './publisher.ts';

export interface NodeEventTargets {
  readonly publisher: Pick<Publisher, 'listenersIn'>;
  readonly graph: Graph;
  readonly trigger: Pick<BuildTrigger, 'fireIfDirty'>;
  /** Decides what proxies reject together. */
  readonly electorate: Pick<Electorate, 'look'>;
  /** Knows which databases proxies cannot use. */
  readonly databases: Pick<DatabaseReports, 'look'>;
  /** What is reported to other replicas. */
  readonly feed: Pick<Feed, 'nodeChanged' | 'nodeApplied'>;
}

/** Takes what proxies say of what they were sent to the graph, and to other replicas. */
export function handleNodeEvent(event: NodeEvent, parts: NodeEventTargets): void {
  const { trigger, feed, electorate, databases } = parts;
  // There is an ACK for each push; what they add up to is reported at once.
  feed.nodeChanged(event.node, event.kind !== 'acked' && event.kind !== 'applied');
  if (event.kind === 'applied') acknowledge(event, parts);
  if (event.kind !== 'acked' && event.kind !== 'nacked') {
    electorate.look(event.node);
    databases.look(event.node);
  }
  trigger.fireIfDirty();
}

/** A proxy that applied a snapshot has applied its Gateway's listeners as they were in it, unless some are held back from it. */
function acknowledge(
  { node, snapshot }: Extract<NodeEvent, { kind: 'applied' }>,
  { publisher, graph, feed }: NodeEventTargets,
): void {
  const applied = publisher.listenersIn(snapshot, node.gateway);
  if (applied === undefined || node.refusals.some(({ kind }) => kind === 'listener')) return;
  graph.acknowledge(node.gateway, applied);
  feed.nodeApplied(node, formatDigest(applied));
}

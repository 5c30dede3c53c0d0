import type { Electorate, Feed } from '../../cluster/replicas/index.ts';
import type { Builder, Graph } from '../../graph/index.ts';
import { formatDigest } from '../../ir/index.ts';
import type { NodeEvent } from '../../xds/index.ts';
import type { Publisher } from './publisher.ts';

export interface HeedNodeParts {
  readonly publisher: Pick<Publisher, 'listenersIn'>;
  readonly graph: Graph;
  readonly builder: Pick<Builder, 'changed'>;
  /** Decides what proxies refuse together. */
  readonly electorate: Pick<Electorate, 'look'>;
  /** What other replicas are told. */
  readonly feed: Pick<Feed, 'nodeChanged' | 'nodeApplied'>;
}

/** Tells the graph, and other replicas, what proxies say of what they were sent. */
export function heedNode(event: NodeEvent, parts: HeedNodeParts): void {
  const { graph, builder, feed, electorate } = parts;
  // There is an ACK for each push; what they add up to is told at once.
  feed.nodeChanged(event.node, event.kind !== 'acked' && event.kind !== 'applied');
  if (event.kind === 'applied') acknowledge(event, parts);
  if (event.kind !== 'acked' && event.kind !== 'nacked') electorate.look(event.node);
  if (graph.isDirty) builder.changed();
}

/** A proxy that applied a snapshot has applied its Gateway's listeners as they were in it, unless some are held back from it. */
function acknowledge(
  { node, snapshot }: Extract<NodeEvent, { kind: 'applied' }>,
  { publisher, graph, feed }: HeedNodeParts,
): void {
  const applied = publisher.listenersIn(snapshot, node.gateway);
  if (applied === undefined || node.refusals.some(({ kind }) => kind === 'listener')) return;
  graph.acknowledge(node.gateway, applied);
  feed.nodeApplied(node, formatDigest(applied));
}

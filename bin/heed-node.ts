import type { Builder, Graph, Refusal } from '../src/graph/index.ts';
import { formatDigest } from '../src/ir/index.ts';
import type { Feed } from '../src/replicas/index.ts';
import type { NodeEvent } from '../src/xds/index.ts';
import type { Publisher } from './publisher.ts';

export interface HeedNodeParts {
  readonly publisher: Pick<Publisher, 'listenersIn'>;
  readonly graph: Graph;
  readonly builder: Builder;
  /** What other replicas are told. */
  readonly feed: Pick<Feed, 'nodeChanged' | 'nodeApplied' | 'refused'>;
}

/** Tells the graph, and other replicas, what proxies say of what they were sent. */
export function heedNode(event: NodeEvent, parts: HeedNodeParts): void {
  const { graph, builder, feed } = parts;
  // There is an ACK for each push; what they add up to is told at once.
  feed.nodeChanged(event.node, event.kind !== 'acked' && event.kind !== 'applied');
  if (event.kind === 'applied') acknowledge(event, parts);
  else if (event.kind === 'refused') refuse(event, parts);
  if (graph.isDirty) builder.changed();
}

/** A proxy that applied a snapshot has applied its Gateway's listeners as they were in it. */
function acknowledge(
  { node, snapshot }: Extract<NodeEvent, { kind: 'applied' }>,
  { publisher, graph, feed }: HeedNodeParts,
): void {
  const applied = publisher.listenersIn(snapshot, node.gateway);
  if (applied === undefined) return;
  graph.acknowledge(node.gateway, applied);
  feed.nodeApplied(node, formatDigest(applied));
}

/** What a proxy refuses is left out from now on: of what its neighbours get, and of what a new proxy starts with. */
function refuse(
  { node, refusal: { origin, message } }: Extract<NodeEvent, { kind: 'refused' }>,
  { graph, feed }: HeedNodeParts,
): void {
  const refusal: Refusal = { ...origin, gateway: node.gateway, message };
  graph.refuse(refusal);
  feed.refused(refusal);
}

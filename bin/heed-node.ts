import type { Builder, Graph } from '../src/graph/index.ts';
import type { NodeEvent } from '../src/xds/index.ts';
import type { Publisher } from './publisher.ts';

export interface HeedNodeParts {
  readonly publisher: Pick<Publisher, 'gatewayIn'>;
  readonly graph: Graph;
  readonly builder: Builder;
}

/** Tells the graph what proxies say of what they were sent. */
export function heedNode(event: NodeEvent, { publisher, graph, builder }: HeedNodeParts): void {
  if (event.kind === 'applied') acknowledge(event, publisher, graph);
  else if (event.kind === 'refused') refuse(event, graph);
  if (graph.isDirty) builder.changed();
}

/** A proxy that applied a snapshot has applied its Gateway's listeners as they were in it. */
function acknowledge(
  { node: { gateway }, snapshot }: Extract<NodeEvent, { kind: 'applied' }>,
  publisher: HeedNodeParts['publisher'],
  graph: Graph,
): void {
  const applied = publisher.gatewayIn(snapshot, gateway);
  if (applied) graph.acknowledge(gateway, applied.listenersDigest);
}

/** What a proxy refuses is left out from now on: of what its neighbours get, and of what a new proxy starts with. */
function refuse({ node, refusal }: Extract<NodeEvent, { kind: 'refused' }>, graph: Graph): void {
  const { origin, message } = refusal;
  graph.refuse({ ...origin, gateway: node.gateway, message });
}

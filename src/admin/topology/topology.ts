import { inTurns } from '../../std/steps/index.ts';
import { indexSlices } from '../backends/endpoint-records.ts';
import type { AdminSources } from '../sources.ts';
import { snapshotMissing } from '../summary/warnings.ts';
import { addBackends } from './backends.ts';
import { aroundFocus, columnOf } from './focus.ts';
import { addGateways } from './gateways.ts';
import { groupByNamespace, order } from './group.ts';
import type { TopologyParts } from './parts.ts';
import { addPolicies } from './policies.ts';
import type { Topology, TopologyNode, TopologyType } from './record.ts';
import { addRoutes } from './routes.ts';

/** With more, routes are grouped where `many` are to be. */
const mostSingle = 60;

/** All that are given must hold; `name` also takes in what is next to those that have it. */
export interface TopologyFilter {
  readonly type?: TopologyType | undefined;
  readonly namespace?: string | undefined;
  /** `NAMESPACE/NAME` or `NAME`: the Gateway, and all that leads to it or from it. */
  readonly gateway?: string | undefined;
  readonly name?: string | undefined;
  /** `KIND/NAMESPACE/NAME`: it, and what requests for it pass. */
  readonly focus?: string | undefined;
  /** Edges away from the focus. */
  readonly depth: number;
  /** `many`: by namespace where more nodes fit than a person can look at. */
  readonly group?: 'namespace' | 'many' | undefined;
  /** How many nodes at most; undefined: all. */
  readonly limit?: number | undefined;
}

/** Costs what the whole cluster is large, and gives others turns meanwhile. Sorted by id. */
export async function findTopology(sources: AdminSources, filter: TopologyFilter): Promise<Topology> {
  const snapshot = sources.graph.snapshot();
  const parts = await collect(sources);
  const { nodes, edges, total } = narrow(onlyNodes(parts, choose(parts, filter)), filter);
  return {
    snapshotVersion: snapshot?.id ?? null,
    nodes: [...nodes.values()].sort(byId),
    edges,
    warnings: snapshot === undefined ? [snapshotMissing] : [],
    ...(total !== undefined && { total }),
  };
}

/** Around a focus, by namespace, and so many that a person can look at them. `total` is before the limit. */
function narrow(
  all: TopologyParts,
  { focus, depth, group, limit }: TopologyFilter,
): TopologyParts & { total?: number } {
  if (limit === undefined) return all;
  const distances = focus === undefined ? undefined : aroundFocus(all, focus, depth);
  const near = distances ? onlyNodes(all, distances) : all;
  const kept = new Set([...(distances ?? [])].flatMap(([id, distance]) => (distance === 0 ? id : [])));
  const isGrouped = group === 'namespace' || (group === 'many' && near.nodes.size > mostSingle);
  const { nodes, edges } = isGrouped ? groupByNamespace(near, kept) : near;
  const rank = ({ id, type }: TopologyNode): number => distances?.get(id) ?? columnOf[type];
  const first = [...nodes.values()]
    .sort((a, b) => rank(a) - rank(b) || order.indexOf(a.status) - order.indexOf(b.status) || byId(a, b))
    .slice(0, limit);
  return { ...onlyNodes({ nodes, edges }, new Set(first.map(({ id }) => id))), total: nodes.size };
}

const byId = (a: TopologyNode, b: TopologyNode): number => (a.id < b.id ? -1 : 1);

/** These nodes, and the edges between them. */
const onlyNodes = ({ nodes, edges }: TopologyParts, ids: { readonly has: (id: string) => boolean }): TopologyParts => ({
  nodes: new Map([...nodes].filter(([id]) => ids.has(id))),
  edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
});

async function collect(sources: AdminSources): Promise<TopologyParts> {
  const parts: TopologyParts = { nodes: new Map(), edges: [] };
  addGateways(parts, sources);
  const backends = await inTurns(addBackends(parts, sources, indexSlices(sources.graph)));
  await inTurns(addRoutes(parts, sources, backends));
  await inTurns(addPolicies(parts, sources));
  // What leads to a Gateway or class that is gone or not ours leads nowhere.
  const edges = parts.edges.filter(({ source, target }) => parts.nodes.has(source) && parts.nodes.has(target));
  return { nodes: parts.nodes, edges };
}

/** Ids of the nodes that fit. */
function choose(parts: TopologyParts, { type, namespace, gateway, name }: TopologyFilter): Set<string> {
  const { nodes, edges } = parts;
  const near = gateway === undefined ? undefined : aroundGateway(parts, gateway);
  const fits = (node: TopologyNode): boolean =>
    (type === undefined || node.type === type) &&
    (namespace === undefined || node.namespace === namespace) &&
    (near === undefined || near.has(node.id)) &&
    (name === undefined || node.name === name || node.label === name);
  const chosen = new Set([...nodes.values()].filter(fits).map(({ id }) => id));
  if (name === undefined) return chosen;
  const neighbours = edges.flatMap(({ source, target }) => [
    ...(chosen.has(source) ? [target] : []),
    ...(chosen.has(target) ? [source] : []),
  ]);
  return new Set([...chosen, ...neighbours]);
}

/** The Gateway, its class, listeners and data planes, the routes of these listeners, and what they forward to. */
function aroundGateway({ nodes, edges }: TopologyParts, gateway: string): Set<string> {
  const found = new Set(
    [...nodes.values()]
      .filter(
        ({ type, namespace, name }) => type === 'gateway' && (gateway === name || gateway === `${namespace}/${name}`),
      )
      .map(({ id }) => id),
  );
  const typeOf = (id: string): TopologyType | undefined => nodes.get(id)?.type;
  const follow = (wanted: TopologyType, from: 'source' | 'target', over: TopologyType) => {
    const to = from === 'source' ? 'target' : 'source';
    const reached = edges.filter((edge) => found.has(edge[from]) && typeOf(edge[from]) === over);
    for (const edge of reached) if (typeOf(edge[to]) === wanted) found.add(edge[to]);
  };
  follow('gatewayclass', 'target', 'gateway');
  follow('dataplane', 'target', 'gateway');
  follow('listener', 'source', 'gateway');
  follow('route', 'target', 'listener');
  follow('backend', 'source', 'route');
  follow('endpoints', 'source', 'backend');
  for (const type of ['gateway', 'route', 'backend'] as const) follow('policy', 'target', type);
  return found;
}

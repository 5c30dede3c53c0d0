import { inTurns, type Steps } from '../../std/steps/index.ts';
import type { AdminSources } from '../sources.ts';
import { snapshotMissing } from '../summary/warnings.ts';
import { type PartFilter, partOf } from './filter.ts';
import { aroundNodes, findFocus, nodesAndEdges } from './focus.ts';
import { groupByNamespace, order } from './group.ts';
import { wholeTopology } from './kept-topology.ts';
import type { Part } from './parts.ts';
import { withPicks } from './picks.ts';
import type { Topology, TopologyNode } from './record.ts';
import { columnOf, type Ways, type WholeTopology } from './whole.ts';

/** With more, routes are grouped where `many` are to be. */
const mostSingle = 60;

/** All that are given must hold. */
export interface TopologyFilter extends PartFilter {
  /** `KIND/NAMESPACE/NAME`: it, and what requests for it pass. */
  readonly focus?: string | undefined;
  /** Edges away from the focus. */
  readonly depth: number;
  /** `many`: by namespace where more nodes fit than a person can look at. */
  readonly group?: 'namespace' | 'many' | undefined;
  /** How many nodes at most; undefined: all. */
  readonly limit?: number | undefined;
}

/** What fits, sorted by id. The same question about a world in which nothing has changed is answered with what was found before. */
export async function findTopology(sources: AdminSources, filter: TopologyFilter): Promise<Topology> {
  const whole = await wholeTopology(sources);
  // An answer without a limit is as large as the world.
  const shown =
    filter.limit === undefined
      ? await show(whole, filter)
      : await whole.answer(JSON.stringify(filter), () => show(whole, filter));
  return await withPicks(shown, sources);
}

async function show(whole: WholeTopology, filter: TopologyFilter): Promise<Topology> {
  const ways = await whole.ways();
  const { nodes, edges, total } = await inTurns(narrow(whole, filter, ways));
  return {
    snapshotVersion: whole.snapshotId ?? null,
    nodes: [...nodes.values()].sort(byId),
    edges: [...edges],
    warnings: whole.snapshotId === undefined ? [snapshotMissing] : [],
    ...(total !== undefined && { total }),
  };
}

/** What fits; around a focus, by namespace, and so many that a person can look at them. `total` is before the limit. */
function* narrow(whole: WholeTopology, filter: TopologyFilter, ways: Ways): Steps<Part & { readonly total?: number }> {
  const { focus, depth, group, limit } = filter;
  const all = yield* partOf(whole, filter, ways);
  if (limit === undefined) return all;
  const starts = focus === undefined ? undefined : findFocus(whole, focus);
  const distances = starts && (yield* aroundNodes(starts, depth, ways));
  const near = distances
    ? yield* nodesAndEdges(
        all,
        [...distances.keys()].filter((id) => all.nodes.has(id)),
        ways,
      )
    : all;
  const isGrouped = group === 'namespace' || (group === 'many' && near.nodes.size > mostSingle);
  const { nodes, edges } = isGrouped ? yield* groupByNamespace(near, new Set(starts)) : near;
  const rank = ({ id, type }: TopologyNode): number => distances?.get(id) ?? columnOf[type];
  const first = new Set(
    [...nodes.values()]
      .sort((a, b) => rank(a) - rank(b) || order.indexOf(a.status) - order.indexOf(b.status) || byId(a, b))
      .slice(0, limit)
      .map(({ id }) => id),
  );
  return {
    nodes: new Map([...nodes].filter(([id]) => first.has(id))),
    edges: edges.filter(({ source, target }) => first.has(source) && first.has(target)),
    total: nodes.size,
  };
}

const byId = (a: TopologyNode, b: TopologyNode): number => (a.id < b.id ? -1 : 1);

import type { Steps } from '../../std/steps/index.ts';
import { HttpError, invalidQuery } from '../http/index.ts';
import type { Part } from './parts.ts';
import type { TopologyEdge, TopologyNode } from './record.ts';
import type { Ways, WholeTopology } from './whole.ts';

/** From an id to how many edges it is away from the focus. */
export type Distances = ReadonlyMap<string, number>;

/** Ids of the nodes that `focus` (`KIND/NAMESPACE/NAME`) names. Throws a 404 when nothing has that name. */
export function findFocus({ nodes, few }: WholeTopology, focus: string): readonly string[] {
  const [, kind, namespace, name] = /^([^/]+)\/([^/]*)\/(.+)$/.exec(focus) ?? [];
  if (kind === undefined || namespace === undefined || name === undefined)
    throw invalidQuery(
      'focus',
      'expected KIND/NAMESPACE/NAME, such as HTTPRoute/default/web or GatewayClass//gatewright',
    );
  const wanted = { kind: kind.toLowerCase(), namespace: namespace === '_cluster' ? '' : namespace, name };
  const route = `route/${wanted.kind}/${wanted.namespace}/${name}`;
  const found = few.filter((node) => isMeant(node, wanted)).map(({ id }) => id);
  if (nodes.has(route)) found.push(route);
  if (found.length === 0) throw new HttpError('resource_not_found', `the topology has no ${kind} ${namespace}/${name}`);
  return found;
}

interface Wanted {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Of a Service all ports. Listeners and nodes are also found as problems name them, without a namespace. */
function isMeant(node: TopologyNode, { kind, namespace, name }: Wanted): boolean {
  const isNamed = node.name === name || node.label === name;
  if (node.type === 'policy') return node.id === `policy/${kind}/${namespace}/${name}`;
  if (node.type === 'listener' || node.type === 'dataplane')
    return (kind === node.type || (kind === 'node' && node.type === 'dataplane')) && node.name === name;
  if (node.namespace !== namespace) return false;
  if (node.type === 'backend')
    return (
      ['backend', 'service', 'aiservice', 'inferencepool', 'xbackend'].includes(kind) &&
      (isNamed || node.name.startsWith(`${name}:`))
    );
  return node.type === kind && isNamed;
}

/**
 * What requests for some nodes pass before them and behind them, `depth` edges in either direction. No way turns back: of a route's listener other
 * routes are not taken in. Costs what is near.
 */
export function* aroundNodes(starts: readonly string[], depth: number, { forth, back }: Ways): Steps<Distances> {
  const distances = new Map(starts.map((id) => [id, 0]));
  for (const ways of [forth, back]) {
    let reached = starts;
    for (let distance = 1; distance <= depth && reached.length > 0; distance += 1) {
      const fresh: string[] = [];
      for (const id of reached) {
        for (const { to } of ways.get(id) ?? []) {
          if (distances.has(to)) continue;
          distances.set(to, distance);
          fresh.push(to);
        }
        yield;
      }
      reached = fresh;
    }
  }
  return distances;
}

/** These nodes and the edges between them, found from the nodes. */
export function* nodesAndEdges(all: Part, ids: Iterable<string>, { forth }: Ways): Steps<Part> {
  const nodes = new Map<string, TopologyNode>();
  for (const id of ids) {
    nodes.set(id, all.nodes.get(id) as TopologyNode);
    yield;
  }
  const edges: TopologyEdge[] = [];
  for (const id of nodes.keys()) {
    for (const { to, edge } of forth.get(id) ?? []) if (nodes.has(to)) edges.push(edge);
    yield;
  }
  return { nodes, edges };
}

import { HttpError, invalidQuery } from '../http/index.ts';
import type { TopologyParts } from './parts.ts';
import type { TopologyNode, TopologyType } from './record.ts';

/** Requests pass from left to right. */
export const columnOf: Readonly<Record<TopologyType, number>> = {
  gatewayclass: 0,
  dataplane: 0,
  policy: 0,
  gateway: 1,
  listener: 2,
  route: 3,
  backend: 4,
  endpoints: 5,
};

/** From an id to how many edges it is away from the focus. */
export type Distances = ReadonlyMap<string, number>;

/**
 * What requests for `focus` (`KIND/NAMESPACE/NAME`) pass before it and behind it, `depth` edges in either direction. No way turns back: of a
 * route's listener other routes are not taken in. Throws a 404 when nothing has that name.
 */
export function aroundFocus(parts: TopologyParts, focus: string, depth: number): Distances {
  const starts = findFocus(parts, focus);
  const distances = new Map(starts.map((id) => [id, 0]));
  for (const direction of [1, -1] as const) walk(parts, starts, { direction, depth, distances });
  return distances;
}

function findFocus({ nodes }: TopologyParts, focus: string): string[] {
  const [, kind, namespace, name] = /^([^/]+)\/([^/]*)\/(.+)$/.exec(focus) ?? [];
  if (kind === undefined || namespace === undefined || name === undefined)
    throw invalidQuery(
      'focus',
      'expected KIND/NAMESPACE/NAME, such as HTTPRoute/default/web or GatewayClass//gatewright',
    );
  const wanted = { kind: kind.toLowerCase(), namespace: namespace === '_cluster' ? '' : namespace, name };
  const found = [...nodes.values()].filter((node) => isMeant(node, wanted)).map(({ id }) => id);
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
  if (node.type === 'route') return node.id === `route/${kind}/${namespace}/${name}`;
  if (node.type === 'listener' || node.type === 'dataplane')
    return (kind === node.type || (kind === 'node' && node.type === 'dataplane')) && node.name === name;
  if (node.namespace !== namespace) return false;
  if (node.type === 'backend')
    return (
      ['backend', 'service', 'aiservice', 'xbackend'].includes(kind) && (isNamed || node.name.startsWith(`${name}:`))
    );
  return node.type === kind && isNamed;
}

function getOrAdd(lists: Map<string, string[]>, key: string): string[] {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
}

interface Walk {
  /** 1: where requests go. -1: where they come from. */
  readonly direction: 1 | -1;
  readonly depth: number;
  readonly distances: Map<string, number>;
}

function walk({ nodes, edges }: TopologyParts, starts: readonly string[], { direction, depth, distances }: Walk): void {
  const column = (id: string): number => columnOf[(nodes.get(id) as TopologyNode).type];
  const next = new Map<string, string[]>();
  for (const { source, target } of edges)
    for (const [from, to] of [
      [source, target],
      [target, source],
    ] as const)
      if ((column(to) - column(from)) * direction > 0) getOrAdd(next, from).push(to);
  let reached = starts;
  for (let distance = 1; distance <= depth && reached.length > 0; distance += 1) {
    const fresh = new Set(reached.flatMap((id) => next.get(id) ?? []).filter((id) => !distances.has(id)));
    for (const id of fresh) distances.set(id, distance);
    reached = [...fresh];
  }
}

import type { Steps } from '../../std/steps/index.ts';
import { nodesAndEdges } from './focus.ts';
import type { Part } from './parts.ts';
import type { TopologyNode, TopologyType } from './record.ts';
import type { Ways, WholeTopology } from './whole.ts';

/** All that are given must hold; `name` also takes in what is next to those that have it. */
export interface PartFilter {
  readonly type?: TopologyType | undefined;
  readonly namespace?: string | undefined;
  /** `NAMESPACE/NAME` or `NAME`: the Gateway, and all that leads to it or from it. */
  readonly gateway?: string | undefined;
  readonly name?: string | undefined;
}

/** The nodes that fit, and the edges between them. */
export function* partOf(whole: WholeTopology, filter: PartFilter, ways: Ways): Steps<Part> {
  const { type, namespace, gateway, name } = filter;
  if (type === undefined && namespace === undefined && gateway === undefined && name === undefined) return whole;
  const near = gateway === undefined ? undefined : yield* aroundGateway(whole, gateway, ways);
  const chosen = new Set<string>();
  for (const node of whole.nodes.values()) {
    if (fits(node, filter) && (near === undefined || near.has(node.id))) chosen.add(node.id);
    yield;
  }
  if (name !== undefined)
    for (const id of [...chosen])
      for (const side of [ways.forth, ways.back]) for (const { to } of side.get(id) ?? []) chosen.add(to);
  return yield* nodesAndEdges(whole, chosen, ways);
}

const fits = (node: TopologyNode, { type, namespace, name }: PartFilter): boolean =>
  (type === undefined || node.type === type) &&
  (namespace === undefined || node.namespace === namespace) &&
  (name === undefined || node.name === name || node.label === name);

/** The Gateway, its class, listeners and data planes, the routes of these listeners, what they forward to, and policies of all of these. */
function* aroundGateway({ nodes, few }: WholeTopology, gateway: string, { forth, back }: Ways): Steps<Set<string>> {
  const typeOf = (id: string): TopologyType | undefined => nodes.get(id)?.type;
  const found = new Set(
    few
      .filter(
        ({ type, namespace, name }) => type === 'gateway' && (gateway === name || gateway === `${namespace}/${name}`),
      )
      .map(({ id }) => id),
  );
  const follow = function* (from: TopologyType, ways: Ways['forth'], wanted: TopologyType): Steps<void> {
    for (const id of [...found].filter((each) => typeOf(each) === from)) {
      for (const { to } of ways.get(id) ?? []) if (typeOf(to) === wanted) found.add(to);
      yield;
    }
  };
  yield* follow('gateway', back, 'gatewayclass');
  yield* follow('gateway', back, 'dataplane');
  yield* follow('gateway', forth, 'listener');
  yield* follow('listener', forth, 'route');
  yield* follow('route', forth, 'backend');
  yield* follow('backend', forth, 'endpoints');
  for (const type of ['gateway', 'route', 'backend'] as const) yield* follow(type, back, 'policy');
  return found;
}

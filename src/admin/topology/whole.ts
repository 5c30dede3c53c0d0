import { pushTo } from '../../std/index.ts';
import { inTurns, type Steps } from '../../std/steps/index.ts';
import type { Part } from './parts.ts';
import type { Topology, TopologyEdge, TopologyNode, TopologyType } from './record.ts';
import type { RouteParts } from './routes.ts';

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

/** Edges by the end that they are looked for at. */
export interface Ways {
  /** Those that lead to the right from a node. */
  readonly forth: ReadonlyMap<string, readonly Way[]>;
  /** Those that lead to the left. */
  readonly back: ReadonlyMap<string, readonly Way[]>;
}

interface Way {
  readonly to: string;
  readonly edge: TopologyEdge;
}

/** More answers are not kept: the page asks for one. */
const mostAnswers = 20;

/** All that depends on each other at one time, with what is found in it again and again. */
export class WholeTopology implements Part {
  readonly nodes: ReadonlyMap<string, TopologyNode>;
  readonly edges: readonly TopologyEdge[];
  /** What each route has added. */
  readonly routes: RouteParts;
  readonly #answers = new Map<string, Promise<Topology>>();
  #ways: Promise<Ways> | undefined;
  #few: readonly TopologyNode[] | undefined;

  /** Id of the newest snapshot when it was begun; undefined before the first one. */
  readonly snapshotId: string | undefined;

  constructor({ nodes, edges, routes, snapshotId }: Pick<WholeTopology, 'nodes' | 'edges' | 'routes' | 'snapshotId'>) {
    this.routes = routes;
    this.snapshotId = snapshotId;
    this.nodes = nodes;
    this.edges = edges;
  }

  /** Made when the first one asks. */
  ways(): Promise<Ways> {
    this.#ways ??= inTurns(waysOf(this));
    return this.#ways;
  }

  /** Nodes other than routes, which there may be tens of thousands of. */
  get few(): readonly TopologyNode[] {
    this.#few ??= [...this.nodes.values()].filter(({ type }) => type !== 'route');
    return this.#few;
  }

  /** The answer to a question, found once. */
  answer(question: string, find: () => Promise<Topology>): Promise<Topology> {
    const known = this.#answers.get(question);
    if (known) return known;
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= mostAnswers && oldest !== undefined) this.#answers.delete(oldest);
    const found = find();
    this.#answers.set(question, found);
    return found;
  }
}

function* waysOf({ nodes, edges }: Part): Steps<Ways> {
  const [forth, back] = [new Map<string, Way[]>(), new Map<string, Way[]>()];
  const column = (id: string): number => columnOf[(nodes.get(id) as TopologyNode).type];
  for (const edge of edges) {
    const { source, target } = edge;
    // An AIService leads to its pool, and a pool to its picker.
    const isForth = column(source) <= column(target);
    const [left, right] = isForth ? [source, target] : [target, source];
    pushTo(forth, left, { to: right, edge });
    pushTo(back, right, { to: left, edge });
    yield;
  }
  return { forth, back };
}

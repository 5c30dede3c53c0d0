import { Map as ImmutableMap } from 'immutable';
import type * as ir from '../../ir/index.ts';
import { membership, type RoutesChange } from './routes-change.ts';

/** How many routes every part may have. */
const mostEverywhere = 32;

/**
 * A way to cut a host with many routes into parts that can change on their own: by the first segments of the paths that its routes are
 * for, the part's beginning, such as `/shop` or `/api/v1`. A route for paths of several beginnings stands in each part, unless all that
 * comes behind it is such too; so the order in which routes are tried holds. `rest` is for what no part is for, or has matched.
 *
 * Made again it looks at each route; made from the cut before, at what has changed, and at where the others stand.
 */
export class HostPartition {
  /** How many segments a beginning has: 1, 2, … */
  readonly segments: number;
  /** In order, as all lists of routes here. */
  readonly rest: readonly ir.Route[];
  /** By beginning. Empty when each part would have too many routes. */
  readonly parts: ImmutableMap<string, readonly ir.Route[]>;
  readonly #everywhere: readonly ir.Route[];
  /** By size: how many parts have it. */
  readonly #sizes: ReadonlyMap<number, number>;

  private constructor(made: {
    segments: number;
    rest: readonly ir.Route[];
    everywhere: readonly ir.Route[];
    parts?: ImmutableMap<string, readonly ir.Route[]>;
    sizes?: ReadonlyMap<number, number>;
  }) {
    this.segments = made.segments;
    this.rest = made.rest;
    this.parts = made.parts ?? ImmutableMap();
    this.#everywhere = made.everywhere;
    this.#sizes = made.sizes ?? new Map();
  }

  static of(routes: readonly ir.Route[], segments: number): HostPartition {
    const rest = routes.filter((route) => beginningOf(route, segments) === undefined);
    const everywhere = standEverywhere(routes, rest);
    if (everywhere.length > mostEverywhere) return new HostPartition({ segments, rest, everywhere });
    const parts = new Map<string, ir.Route[]>();
    // Everywhere's routes come in its order, and one that stands twice on the host may be of it once only.
    const soFar: ir.Route[] = [];
    for (const route of routes) {
      const beginning = beginningOf(route, segments);
      if (beginning !== undefined) {
        const part = parts.get(beginning);
        if (part) part.push(route);
        else parts.set(beginning, [...soFar, route]);
      } else if (route === everywhere[soFar.length]) {
        soFar.push(route);
        for (const part of parts.values()) part.push(route);
      }
    }
    const sizes = new Map<number, number>();
    for (const { length } of parts.values()) count(sizes, length, 1);
    return new HostPartition({ segments, rest, everywhere, parts: ImmutableMap(parts), sizes });
  }

  /** The cut of the same host after a change. */
  next(routes: readonly ir.Route[], change: RoutesChange): HostPartition {
    const { segments } = this;
    const short = (route: ir.Route): boolean => beginningOf(route, segments) === undefined;
    const rest = inOrder(routes, this.rest, { gone: change.gone.filter(short), come: change.come.filter(short) });
    const everywhere = standEverywhere(routes, rest);
    if (Math.min(everywhere.length, this.#everywhere.length) > mostEverywhere)
      return new HostPartition({ segments, rest, everywhere });
    if (!sameList(everywhere, this.#everywhere)) return HostPartition.of(routes, segments);
    const sizes = new Map(this.#sizes);
    const parts = this.parts.withMutations((all) => {
      for (const beginning of this.touchedBy(change)) {
        const before = all.get(beginning);
        const after = inOrder(routes, before ?? everywhere, {
          gone: change.gone,
          come: change.come.filter((route) => beginningOf(route, segments) === beginning),
        });
        if (before) count(sizes, before.length, -1);
        if (after.length === everywhere.length) all.delete(beginning);
        else {
          all.set(beginning, after);
          count(sizes, after.length, 1);
        }
      }
    });
    return new HostPartition({ segments, rest, everywhere, parts, sizes });
  }

  /** How many routes are sent when one changes, at most; infinite when the host cannot be cut like that. */
  get largest(): number {
    if (this.#everywhere.length > mostEverywhere) return Number.POSITIVE_INFINITY;
    return Math.max(this.rest.length, ...this.#sizes.keys());
  }

  /** Beginnings of the parts that the change is about. */
  touchedBy({ gone, come }: RoutesChange): ReadonlySet<string> {
    return new Set([...gone, ...come].flatMap((route) => beginningOf(route, this.segments) ?? []));
  }

  /** Whether parts that a change is not about are the same in both. */
  isLike(other: HostPartition): boolean {
    return this.segments === other.segments && sameList(this.#everywhere, other.#everywhere);
  }
}

/** The first segments that all paths have which the route is for; undefined: they differ, or have fewer. */
function beginningOf({ match: { path } }: ir.Route, segments: number): string | undefined {
  // `/` is a prefix of everything, and as an exact path the one segment that is empty.
  if (path.kind === 'regex' || (path.kind === 'prefix' && path.value === '/')) return undefined;
  let end = 0;
  for (let segment = 0; segment < segments; segment += 1) {
    if (path.value[end] !== '/') return undefined;
    const next = path.value.indexOf('/', end + 1);
    end = next === -1 ? path.value.length : next;
  }
  return path.value.slice(0, end);
}

/** Of the rest, what some part's route comes behind; but an exact path with fewer segments is for none of the parts. */
function standEverywhere(routes: readonly ir.Route[], rest: readonly ir.Route[]): readonly ir.Route[] {
  let tail = 0;
  while (tail < rest.length && rest.at(-1 - tail) === routes.at(-1 - tail)) tail += 1;
  return rest.slice(0, rest.length - tail).filter(({ match }) => match.path.kind !== 'exact');
}

/** A list of some of the routes after a change. */
function inOrder(
  routes: readonly ir.Route[],
  list: readonly ir.Route[],
  { gone, come }: RoutesChange,
): readonly ir.Route[] {
  const [isGone, hasCome] = [membership(gone), membership(come)];
  const kept = gone.length === 0 ? list : list.filter((route) => !isGone(route));
  if (come.length === 0) return kept;
  const made: ir.Route[] = [];
  let at = 0;
  for (const route of routes) {
    if (route === kept[at]) at += 1;
    else if (!hasCome(route)) continue;
    made.push(route);
  }
  return made;
}

const sameList = (one: readonly ir.Route[], other: readonly ir.Route[]): boolean =>
  one.length === other.length && one.every((route, at) => route === other[at]);

function count(sizes: Map<number, number>, size: number, more: number): void {
  const now = (sizes.get(size) ?? 0) + more;
  if (now === 0) sizes.delete(size);
  else sizes.set(size, now);
}

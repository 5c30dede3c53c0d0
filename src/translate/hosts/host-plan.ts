import type * as ir from '../../ir/index.ts';
import { hasSessions } from '../routes/index.ts';
import { HostPartition } from './partition-host.ts';
import { type RoutesChange, routesChange } from './routes-change.ts';

/** A host with no more routes is one scope: to go on to another costs a request as much as to be compared with some hundred routes. */
const mostInOneScope = 500;
/** Of the ways to cut a host, the first is good enough whose largest part has no more routes. */
const fewInOnePart = 64;
const mostSegments = 4;

/** What was thought of a host with many routes. */
export interface HostPlan {
  readonly routes: readonly ir.Route[];
  /** How it is cut; undefined: the beginnings of paths do not separate its routes. Decided by them alone. */
  readonly cut: HostPartition | undefined;
  /** How many routes keep sessions. */
  readonly sessions: number;
  /** The ways that were tried, with one segment, two, and so on. */
  readonly tried: readonly HostPartition[];
}

/** Undefined for a host with few routes. `former`: of the same host before a change; what is alike needs not be thought of again. */
export function planOf({ routes }: ir.VirtualHost, former?: HostPlan): HostPlan | undefined {
  if (routes.length <= mostInOneScope) return undefined;
  const change = former && routesChange(former.routes, routes);
  return change ? nextPlan(routes, former, change) : firstPlan(routes);
}

const firstPlan = (routes: readonly ir.Route[]): HostPlan => ({
  routes,
  sessions: countSessions(routes),
  ...choose(routes, (segments) => HostPartition.of(routes, segments)),
});

const nextPlan = (routes: readonly ir.Route[], former: HostPlan, change: RoutesChange): HostPlan => ({
  routes,
  sessions: former.sessions - countSessions(change.gone) + countSessions(change.come),
  ...choose(
    routes,
    (segments) => former.tried[segments - 1]?.next(routes, change) ?? HostPartition.of(routes, segments),
  ),
});

function choose(
  routes: readonly ir.Route[],
  cutBy: (segments: number) => HostPartition,
): Pick<HostPlan, 'cut' | 'tried'> {
  const tried: HostPartition[] = [];
  // More than that in one part, and a cut is not worth what it costs requests.
  let [cut, largest]: [HostPartition | undefined, number] = [undefined, routes.length / 2];
  for (let segments = 1; segments <= mostSegments && largest > fewInOnePart; segments += 1) {
    const next = cutBy(segments);
    tried.push(next);
    if (next.largest < largest) [cut, largest] = [next, next.largest];
  }
  return { cut, tried };
}

const countSessions = (routes: readonly ir.Route[]): number => routes.filter(({ rule }) => hasSessions(rule)).length;

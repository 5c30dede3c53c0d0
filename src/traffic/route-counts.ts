import { addSums, noSums, type Sums } from '../contracts/index.ts';
import type { GraphView } from '../graph/index.ts';
import { responseFlags } from '../problems/index.ts';
import { gatewayFinder } from './gateway-finder.ts';
import { parseRule } from './ownership.ts';
import { otherName, type Subject, unknownRoute } from './subjects.ts';

/** Of whom a series is. Without a kind, the name says what is counted: `no_route`, `unknown_route` or `other`. */
export interface RouteLabels {
  /** `NAMESPACE/NAME`; of proxies that several Gateways share, and a route of several of them: the key of the proxies. */
  readonly gateway: string;
  readonly route_kind: string;
  readonly route_namespace: string;
  readonly route_name: string;
  readonly rule: string;
}

/** All that one rule did since it was first counted. */
export interface RouteCount {
  readonly labels: RouteLabels;
  readonly sums: Sums;
}

interface Counted extends RouteCount {
  at: number;
}

/** A rule without requests for this long gives its place to another; without such need it is kept for a day. */
const idleMs = 3_600_000;
const forgottenMs = 24 * idleMs;
/**
 * What passed, by Gateway and rule of a route, from the start on: counts that only rise, as Prometheus expects. `most` rules are counted apart, the first
 * ones that have requests; what others do is `other` of their Gateway, so that there are never more series than that allows.
 */
export class RouteCounts {
  readonly #graph: GraphView;
  readonly #most: number;
  /** The one that has had no request for the longest time is first. */
  readonly #rules = new Map<string, Counted>();
  /** What is no rule of a known route: up to three for each fleet. */
  readonly #rest = new Map<string, Counted>();

  constructor(graph: GraphView, most: number) {
    this.#graph = graph;
    this.#most = most;
  }

  /** `subject`: names as they are kept, in which only those of the fleet are left. */
  count({ fleet, route }: Pick<Subject, 'fleet' | 'route'>, sums: Sums, now: number): void {
    if (this.#most === 0) return;
    const counted = this.#ruleOf(fleet, route, now) ?? this.#restOf(fleet, route);
    counted.at = now;
    addSums(counted.sums, { ...sums, flags: withKnownFlags(sums.flags) });
  }

  /** In no order. Forgets what has had no requests for a day. */
  list(now: number): RouteCount[] {
    for (const [key, { at }] of this.#rules) {
      if (now - at < forgottenMs) break;
      this.#rules.delete(key);
    }
    for (const [key, { at }] of this.#rest) if (now - at >= forgottenMs) this.#rest.delete(key);
    return [...this.#rules.values(), ...this.#rest.values()];
  }

  /** Undefined for what is no rule, or finds no place. */
  #ruleOf(fleet: string, route: string, now: number): Counted | undefined {
    const key = `${fleet}\n${route}`;
    const known = this.#rules.get(key);
    if (known !== undefined) {
      this.#rules.delete(key);
      this.#rules.set(key, known);
      return known;
    }
    const rule = parseRule(route);
    if (rule === undefined || !this.#hasPlace(now)) return undefined;
    const labels = {
      gateway: gatewayFinder(this.#graph)({ fleet, route }),
      route_kind: rule.kind,
      route_namespace: rule.namespace,
      route_name: rule.name,
      rule: String(rule.rule),
    };
    const counted = { labels, sums: noSums(), at: now };
    this.#rules.set(key, counted);
    return counted;
  }

  #hasPlace(now: number): boolean {
    if (this.#rules.size < this.#most) return true;
    for (const [key, { at }] of this.#rules) {
      if (now - at < idleMs) return false;
      this.#rules.delete(key);
      return true;
    }
    return false;
  }

  #restOf(fleet: string, route: string): Counted {
    const name = route === '' ? 'no_route' : route === unknownRoute ? 'unknown_route' : 'other';
    // A client without identity can name any fleet.
    const isKnown = this.#graph.snapshot()?.gateways.has(fleet) === true;
    const gateway = isKnown ? gatewayFinder(this.#graph)({ fleet, route: otherName }) : '';
    const key = `${gateway}\n${name}`;
    const known = this.#rest.get(key);
    if (known !== undefined) return known;
    const labels = { gateway, route_kind: '', route_namespace: '', route_name: name, rule: '' };
    const counted = { labels, sums: noSums(), at: 0 };
    this.#rest.set(key, counted);
    return counted;
  }
}

/** Names that Envoy has: each is a series. */
function withKnownFlags(flags: Readonly<Record<string, number>>): Record<string, number> {
  const known: Record<string, number> = {};
  for (const [flag, count] of Object.entries(flags)) {
    const name = Object.hasOwn(responseFlags, flag) ? flag : 'other';
    known[name] = (known[name] ?? 0) + count;
  }
  return known;
}

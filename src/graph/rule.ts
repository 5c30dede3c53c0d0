import { type ObjectByKind, parseDuration } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { type ResolvedBackend, resolveBackend } from './backend-ref.ts';
import type { Fault } from './condition.ts';
import { type RuleSpec, redirectAction, type SettledFilters, settleFilters } from './filter.ts';
import { matchesOf } from './match.ts';
import { type MatchRank, rankOf } from './precedence.ts';
import type { Store } from './store.ts';

/** One match of a route, ready to be placed on hosts. */
export interface RankedRoute {
  readonly route: ir.Route;
  readonly rank: MatchRank;
}

/** The rules of a route as they read behind one listener, with what is wrong with them. */
export interface SettledRules {
  /** In the order of writing, which is also the last tie-break. */
  readonly routes: readonly RankedRoute[];
  /** Keys of the backends that get requests. */
  readonly backends: readonly string[];
  readonly referenceFaults: readonly Fault[];
  /** Rules that were left out, or answer with an error, because something in them cannot be had. */
  readonly ruleFaults: readonly Fault[];
  readonly droppedRules: number;
  readonly ruleCount: number;
}

export interface ListenerTraits {
  readonly protocol: string;
  readonly port: number;
}

/** Settles every rule of a route for listeners of one protocol and port. */
export function settleRules(route: ObjectByKind['HTTPRoute'], listener: ListenerTraits, store: Store): SettledRules {
  const rules = route.spec?.rules ?? [];
  const settled = rules.map((rule, index) => settleRule(route, rule, index, listener, store));
  return {
    routes: settled.flatMap(({ routes }) => routes),
    backends: [...new Set(settled.flatMap(({ backends }) => backends))],
    referenceFaults: settled.flatMap(({ referenceFaults }) => referenceFaults),
    ruleFaults: settled.flatMap(({ ruleFault }) => (ruleFault ? [ruleFault] : [])),
    droppedRules: settled.filter(({ ruleFault }) => ruleFault).length,
    ruleCount: rules.length,
  };
}

interface SettledRule {
  readonly routes: readonly RankedRoute[];
  readonly backends: readonly string[];
  readonly referenceFaults: readonly Fault[];
  readonly ruleFault?: Fault;
}

function settleRule(
  route: ObjectByKind['HTTPRoute'],
  rule: RuleSpec,
  index: number,
  listener: ListenerTraits,
  store: Store,
): SettledRule {
  const forward = settleBackends(rule, route.metadata.namespace ?? '', store);
  const found = matchesOf(rule);
  if ('fault' in found) {
    return { routes: [], backends: [], referenceFaults: forward.faults, ruleFault: naming(index, found.fault) };
  }
  const id = `httproute/${route.metadata.namespace}/${route.metadata.name}/rule/${index}`;
  const placed = found.matches.map((match, matchIndex) => {
    const prefix = match.path.kind === 'prefix' ? match.path.value : undefined;
    const filters = settleFilters(rule.filters, prefix);
    const irRule = irRuleOf(rule, filters, forward, listener, prefix);
    return {
      fault: filters.fault,
      route: { route: { id: `${id}/match/${matchIndex}`, match, rule: irRule }, rank: rankOf(match) },
    };
  });
  const fault = placed.find((entry) => entry.fault)?.fault ?? forward.filterFault;
  const uses = placed.some(({ route: { route: made } }) => made.rule.action.kind === 'forward');
  return {
    routes: placed.map((entry) => entry.route),
    backends: uses ? forward.keys : [],
    referenceFaults: forward.faults,
    ruleFault: fault && naming(index, fault),
  };
}

const naming = (index: number, { reason, message }: Fault): Fault => ({ reason, message: `rule ${index}: ${message}` });

function irRuleOf(
  rule: RuleSpec,
  filters: SettledFilters,
  forward: SettledBackends,
  listener: ListenerTraits,
  prefix: string | undefined,
): ir.RouteRule {
  const { request, backendRequest } = rule.timeouts ?? {};
  const changes = {
    ...(filters.requestHeaders && { requestHeaders: filters.requestHeaders }),
    ...(filters.responseHeaders && { responseHeaders: filters.responseHeaders }),
    ...(filters.rewrite && { rewrite: filters.rewrite }),
    ...(request !== undefined && { requestTimeoutMs: parseDuration(request) ?? 0 }),
    ...(backendRequest !== undefined && { backendRequestTimeoutMs: parseDuration(backendRequest) ?? 0 }),
  };
  if (filters.fault) return { action: { kind: 'respond', status: 500 } };
  if (filters.redirect) return { ...changes, action: redirectAction(filters.redirect, listener, prefix) };
  return { ...changes, action: forward.action };
}

interface SettledBackends {
  readonly action: ir.RouteAction;
  readonly keys: readonly string[];
  readonly faults: readonly Fault[];
  /** A filter of a backendRef that cannot be had. */
  readonly filterFault?: Fault;
}

const internalError: ir.RespondAction = { kind: 'respond', status: 500 };

/**
 * The shares of a rule. A reference that does not resolve keeps its weight and answers 500 for it; a rule without any
 * share that can be served answers 500 as a whole. Source: HTTPRouteRule.backendRefs.
 */
function settleBackends(rule: RuleSpec, namespace: string, store: Store): SettledBackends {
  const refs = rule.backendRefs ?? [];
  const resolved = refs.map((ref) => resolveBackend(ref, { kind: 'HTTPRoute', namespace }, store));
  const filters = refs.map((ref) => settleFilters(ref.filters, undefined));
  const shares = refs.map((ref, index) =>
    share(ref.weight ?? 1, resolved[index] as ResolvedBackend, filters[index] as SettledFilters),
  );
  const live = shares.some(({ backend, weight }) => backend !== undefined && weight > 0);
  return {
    action: live ? { kind: 'forward', backends: shares, invalidStatus: 500 } : internalError,
    keys: live ? shares.flatMap(({ backend }) => backend ?? []) : [],
    faults: resolved.flatMap((result) => ('fault' in result ? [result.fault] : [])),
    filterFault: filters.map(unavailable).find((fault) => fault !== undefined),
  };
}

/** What a backendRef's filters ask for that is possible for whole rules only. */
function unavailable({ fault, redirect, rewrite }: SettledFilters): Fault | undefined {
  if (fault || !(redirect || rewrite)) return fault;
  return {
    reason: 'UnsupportedValue',
    message: 'a backendRef can change headers only: move the redirect or rewrite to the rule',
  };
}

function share(weight: number, resolved: ResolvedBackend, filters: SettledFilters): ir.WeightedBackend {
  return {
    ...('key' in resolved && !unavailable(filters) && { backend: resolved.key }),
    weight,
    ...(filters.requestHeaders && { requestHeaders: filters.requestHeaders }),
    ...(filters.responseHeaders && { responseHeaders: filters.responseHeaders }),
  };
}

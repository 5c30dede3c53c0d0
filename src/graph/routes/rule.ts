import { keyOf } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import { trim } from '../../std/memory/index.ts';
import { sessionFault } from '../backends/index.ts';
import { type Mishaps, mishapFault, type Store } from '../engine/index.ts';
import { filterBackends, preflightsOf, redirectOf, rewriteOf, withCors, withoutForwarding } from '../filters/index.ts';
import {
  type ConditionFault,
  type HttpRouteObject,
  type ListenerTraffic,
  type RankedRoute,
  type RouteObject,
  type RuleSpec,
  rankOf,
  routeSource,
} from '../model/index.ts';
import { type GrpcRuleSpec, grpcMatchesOf, type RankedMatch } from './grpc-match.ts';
import { loginRoutes } from './login-routes.ts';
import { everyRequest, matchesOf } from './match.ts';
import { retryOf } from './retry.ts';
import type { RoutePolicies } from './route-policies.ts';
import { type RuleReferences, resolveReferences } from './rule-references.ts';
import { type BackendTraits, forwardOf } from './weighted-backend.ts';

/** The rules of a route as they read behind one listener, with what is wrong with them. */
export interface ResolvedRules {
  /** In the order of writing, which is also the last tie-break. */
  readonly routes: readonly RankedRoute[];
  /** Keys of the backends that get requests. */
  readonly backends: readonly string[];
  readonly referenceFaults: readonly ConditionFault[];
  /** Rules that were left out, or answer with an error, because something in them is not available. */
  readonly ruleFaults: readonly ConditionFault[];
  readonly droppedRules: number;
  readonly ruleCount: number;
}

export interface ListenerTraits {
  readonly protocol: string;
  readonly port: number;
  /** Paths reach rules as clients spell them. */
  readonly hasRawPaths?: boolean;
  /** Key of the ir.Secret that the gateway's proxies show to backends. */
  readonly clientCertificate?: string | undefined;
  /** For forwarded requests, where the rule and its policies say nothing of it. */
  readonly cors?: ir.Cors | undefined;
  /** What policies of the listener and above say. */
  readonly traffic?: ListenerTraffic | undefined;
}

/** What rules are resolved with. */
export interface RuleDeps {
  readonly store: Store;
  readonly mishaps: Mishaps;
  readonly policies: RoutePolicies;
  readonly traits: BackendTraits;
}

/** Resolves every rule of a route for listeners of one protocol and port. */
export function resolveRules(route: HttpRouteObject, listener: ListenerTraits, deps: RuleDeps): ResolvedRules {
  const rules = rulesOf(route);
  const resolved = rules.map((rule, index) =>
    deps.mishaps.guard(
      route.kind,
      keyOf(route),
      () => resolveRule(route, rule, index, listener, deps),
      () => closedRule(route, rule, index),
    ),
  );
  const routes = resolved.flatMap((each) => each.routes);
  return {
    routes: trim([...routes, ...loginRoutes(routes)]),
    backends: [...new Set(resolved.flatMap(({ backends }) => backends))],
    referenceFaults: resolved.flatMap(({ referenceFaults }) => referenceFaults),
    ruleFaults: resolved.flatMap(({ ruleFault }) => (ruleFault ? [ruleFault] : [])),
    droppedRules: resolved.filter(({ ruleFault }) => ruleFault).length,
    ruleCount: rules.length,
  };
}

/** What the rules of one kind of route have of their own. */
interface Dialect {
  readonly matchesOf: (
    rule: RuleSpec,
  ) => { readonly matches: readonly RankedMatch[] } | { readonly fault: ConditionFault };
  /** HTTP status for what cannot be served; Envoy makes a gRPC status of it where a gRPC client asked. */
  readonly invalidStatus: number;
  /** Backends are spoken to by HTTP/2 whatever their Service says. */
  readonly http2: boolean;
}

const dialects: Readonly<Record<HttpRouteObject['kind'], Dialect>> = {
  HTTPRoute: { matchesOf: rankedMatchesOf, invalidStatus: 500, http2: false },
  // Source: GRPCRouteRule.backendRefs: UNAVAILABLE, which is 503.
  GRPCRoute: { matchesOf: (rule) => grpcMatchesOf(rule as GrpcRuleSpec), invalidStatus: 503, http2: true },
};

function rankedMatchesOf(rule: RuleSpec): ReturnType<Dialect['matchesOf']> {
  const found = matchesOf(rule);
  return 'fault' in found ? found : { matches: found.matches.map(ranked) };
}

const ranked = (match: ir.RouteMatch): RankedMatch =>
  match === everyRequest ? anyRequest : { match, rank: rankOf(match) };

const anyRequest: RankedMatch = { match: everyRequest, rank: rankOf(everyRequest) };

/** A rule of any kind has less than an HTTP rule, and the same where it has it; but for gRPC's matches, which its dialect reads. */
export const rulesOf = (route: RouteObject | undefined): readonly RuleSpec[] =>
  (route?.spec?.rules ?? []) as readonly RuleSpec[];

interface ResolvedRule {
  readonly routes: readonly RankedRoute[];
  readonly backends: readonly string[];
  readonly referenceFaults: readonly ConditionFault[];
  readonly ruleFault?: ConditionFault;
}

/** What matches a rule that could not be resolved because of an error of ours gets an error: a wider rule may demand less. */
function closedRule(route: HttpRouteObject, rule: RuleSpec, index: number): ResolvedRule {
  const { matchesOf, invalidStatus } = dialects[route.kind];
  const found = matchesOf(rule);
  const closed: ir.RouteRule = { action: { kind: 'respond', status: invalidStatus } };
  const routes = ('fault' in found ? [] : found.matches).map(({ match, rank }, at) => ({
    route: { id: ir.routeId(routeSource(route), index, at), match, rule: closed },
    rank,
  }));
  return { routes, backends: [], referenceFaults: [], ruleFault: named(rule, index, mishapFault) };
}

const named = ({ name }: RuleSpec, index: number, { reason, message }: ConditionFault): ConditionFault => ({
  reason,
  message: `rule ${index}${name ? ` (${name})` : ''}: ${message}`,
});

function resolveRule(
  route: HttpRouteObject,
  rule: RuleSpec,
  index: number,
  listener: ListenerTraits,
  deps: RuleDeps,
): ResolvedRule {
  const dialect = dialects[route.kind];
  const variant = {
    http2: dialect.http2,
    ...(listener.clientCertificate && { clientCertificate: listener.clientCertificate }),
  };
  const namespace = route.metadata.namespace ?? '';
  const user = { kind: route.kind, namespace, variant, rule: { route: route.metadata.name, index } };
  const references = resolveReferences(rule, user, deps.store);
  const naming = (fault: ConditionFault): ConditionFault => named(rule, index, fault);
  const found = dialect.matchesOf(rule);
  if ('fault' in found) {
    return { routes: [], backends: [], referenceFaults: references.faults, ruleFault: naming(found.fault) };
  }
  const common = { route, invalidStatus: dialect.invalidStatus, deps };
  const { cookie, fault: filterFault, isForNone } = references.filters;
  if (isForNone && filterFault)
    return { routes: [], backends: [], referenceFaults: references.faults, ruleFault: naming(filterFault) };
  const matches = cookie ? found.matches.map((match) => withCookie(match, cookie)) : found.matches;
  const made = matches.map((match, at) =>
    resolveMatch(rule, match, { id: ir.routeId(routeSource(route), index, at), ...common }, listener, references),
  );
  const fault = made.find((entry) => entry.fault)?.fault;
  return {
    routes: made.flatMap(({ routes }) => routes),
    backends: made.flatMap(({ backends }) => backends),
    referenceFaults: references.faults,
    ...(fault && { ruleFault: naming(fault) }),
  };
}

/** It counts as a header where matches of several rules hold. */
const withCookie = ({ match, rank }: RankedMatch, cookie: ir.NamedMatch): RankedMatch => ({
  match: { ...match, cookies: [cookie] },
  rank: { ...rank, headers: rank.headers + 1 },
});

interface ResolvedMatch {
  readonly routes: readonly RankedRoute[];
  readonly backends: readonly string[];
  readonly fault?: ConditionFault;
}

interface MatchTraits {
  /** ir.Route.id. */
  readonly id: string;
  readonly route: HttpRouteObject;
  readonly invalidStatus: number;
  readonly deps: RuleDeps;
}

function resolveMatch(
  spec: RuleSpec,
  { match, rank }: RankedMatch,
  { id, route, invalidStatus, deps }: MatchTraits,
  listener: ListenerTraits,
  references: RuleReferences,
): ResolvedMatch {
  const prefix = match.path.kind === 'prefix' ? match.path.value : undefined;
  const { filters } = references;
  const rewrite = rewriteOf(filters, prefix);
  const { sessionsOf, retriesOf } = deps.traits;
  const sessions = { of: sessionsOf, rule: spec.sessionPersistence, secure: listener.protocol === 'HTTPS' };
  const setsHost = rewrite?.host !== undefined || rewrite?.hostFrom !== undefined;
  const forward = forwardOf(references.refs, { prefix, invalidStatus, setsHost, sessions, retriesOf });
  const badSession = spec.sessionPersistence && sessionFault(spec.sessionPersistence);
  const redirect = redirectOf(filters, listener, prefix);
  // A filter that is not available, or whose server is not, must not be skipped; nor must a session that an application counts on.
  const written: ir.RouteRule =
    filters.fault || filters.denied || badSession
      ? { action: { kind: 'respond', status: invalidStatus } }
      : irRuleOf(spec, filters.filters, rewrite, filters.answer ?? redirect ?? forward.action);
  const decided = deps.policies.apply(route, { name: spec.name, ...listener }, written, invalidStatus);
  const rule: ir.RouteRule =
    listener.cors && decided.action.kind === 'forward'
      ? { ...decided, filters: withCors(decided.filters, listener.cors) }
      : decided;
  const fault = filters.fault ?? badSession ?? forward.fault;
  const preflights = preflightsOf(match, rule).map((preflight, index) => ({
    route: { id: `${id}/preflight${index === 0 ? '' : `/${index}`}`, ...preflight },
    rank,
  }));
  return {
    // Before the match that they replace, because that one may accept preflights too.
    routes: [...preflights, { route: { id, match, rule }, rank }],
    backends: [...(rule.action.kind === 'forward' ? forward.keys : []), ...filterBackends(rule.filters)],
    ...(fault && { fault }),
  };
}

function irRuleOf(
  spec: RuleSpec,
  filters: ir.RouteFilters | undefined,
  rewrite: ir.UrlRewrite | undefined,
  action: ir.RouteAction,
): ir.RouteRule {
  if (action.kind !== 'forward') {
    const left = withoutForwarding(filters);
    return { ...(left && { filters: left }), action };
  }
  const { request, backendRequest } = spec.timeouts ?? {};
  const retry = retryOf(spec);
  // What nearly all have, written out: no room is kept for more.
  if (!filters && !rewrite && !spec.timeouts && !retry) return { action };
  return {
    ...(filters && { filters }),
    ...(rewrite && { rewrite }),
    ...(request !== undefined && { requestTimeoutMs: parseDurationMs(request) ?? 0 }),
    ...(backendRequest !== undefined && { backendRequestTimeoutMs: parseDurationMs(backendRequest) ?? 0 }),
    ...(retry && { retry }),
    action,
  };
}

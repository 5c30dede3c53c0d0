import { compareSpecificity, coversHostname, objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { GraphView, ListenerView } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import {
  type Candidate,
  explainPrecedence,
  type RouteTestResult as Result,
  type TestRequest,
  testingRoute,
} from '../../offline/route-test/index.ts';
import type { Steps } from '../../std/steps/index.ts';
import type { AccessQuestion } from '../access/judged.ts';
import { requestLimits } from '../rate-limit-policies/request-limits.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import type { AdminSources } from '../sources.ts';
import { heldGroups } from '../traffic-policies/held-groups.ts';
import { type Asker, accessQuestion, ruleNamesAt } from './access-question.ts';
import { routeTestHints } from './hints.ts';
import type { CandidateRecord, MatchRecord, RouteTestBackend, RouteTestResult } from './record.ts';
import { ruleEffects } from './rule-effects.ts';

/** How many candidates are listed; all that match are among them. */
const mostCandidates = 100;

export interface RouteTestQuestion {
  readonly gateway: ir.Fleet;
  readonly port: number;
  readonly request: TestRequest;
  readonly asker: Asker;
}

/** What happens to a request but for policies of access, and what these are asked; undefined: it does not get that far. */
export interface TestedRoute {
  readonly record: RouteTestResult;
  readonly access: AccessQuestion | undefined;
}

export function* routeTestRecord(
  sources: AdminSources,
  snapshot: ir.Snapshot,
  { gateway, port, request, asker }: RouteTestQuestion,
): Steps<TestedRoute> {
  const result = yield* testingRoute(gateway, port, request);
  const { outcome, status, reason, location, winner, forwarded, walk } = result;
  const candidates = walk?.candidates ?? [];
  const listener = listenerOf(sources.graph, gateway.key, port, result, request);
  const named = listener?.gateway ?? parseObjectKey(gateway.key);
  const access = accessQuestion(sources.graph, gateway, `${named.namespace}/${named.name}`, result, asker);
  const record = {
    snapshotVersion: snapshot.id,
    gateway: named,
    port,
    outcome,
    status: status ?? null,
    reason,
    location: location ?? null,
    listener: listener?.name ?? null,
    request: result.request ? { host: result.request.host, path: result.request.path } : null,
    route: winner ? matchRecord(sources.graph, winner) : null,
    backends: winner ? backendsOf(winner.route.rule.action, snapshot) : [],
    forwarded: forwarded ? { path: forwarded.path, host: forwarded.host ?? null } : null,
    // Each filter is held to the schema of its module.
    filters: winner ? (ruleEffects(winner.route.rule) as RouteTestResult['filters']) : null,
    access: null,
    policies: access && winner ? heldGroups(sources.graph, access.place, winner.route.id) : [],
    limits: access
      ? requestLimits(sources.graph, access.place, listener, winner?.route.rule.action.kind === 'forward')
      : [],
    hosts: walk?.hosts.map(({ host }) => host) ?? [],
    candidates: mostInformative(candidates).map((candidate) => candidateRecord(sources.graph, candidate, winner)),
    candidateCount: candidates.length,
    hints: routeTestHints(sources, { gateway, port, result }),
  };
  return { record, access };
}

function matchRecord(graph: GraphView, { route, host }: Candidate): MatchRecord {
  const { kind, namespace, name, rule, match } = ir.parseRouteId(route.id);
  const ruleName = ruleNamesAt(graph, kind, objectKey(namespace, name))[rule] ?? null;
  return { kind: findRouteKind(kind) ?? kind, namespace, name, rule, ruleName, match, host };
}

function candidateRecord(graph: GraphView, candidate: Candidate, winner: Candidate | undefined): CandidateRecord {
  const record = matchRecord(graph, candidate);
  if (candidate.mismatch !== undefined) return { ...record, outcome: 'mismatch', reason: candidate.mismatch };
  if (!winner || candidate === winner) return { ...record, outcome: 'chosen', reason: null };
  return { ...record, outcome: 'later', reason: explainPrecedence(winner, candidate) };
}

/** Those that match come first to mind; the rest in the order in which they are tried. */
function mostInformative(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length <= mostCandidates) return candidates;
  const matching = new Set(candidates.filter(({ mismatch }) => mismatch === undefined).slice(0, mostCandidates));
  const others = candidates.filter((each) => !matching.has(each)).slice(0, mostCandidates - matching.size);
  const kept = new Set([...matching, ...others]);
  return candidates.filter((each) => kept.has(each));
}

/** The listener of the proxies with the most specific hostname that is for the request: by Host, with TLS by the handshake's name. */
function listenerOf(
  graph: GraphView,
  key: string,
  port: number,
  { entrance, request }: Result,
  { serverName }: TestRequest,
): ListenerView | undefined {
  if (!entrance || !request) return undefined;
  const name = entrance.chain.tls ? (serverName ?? request.host) : request.host;
  return (
    [...graph.listeners()]
      .filter((view) => view.fleet === key && view.port === port)
      // A listener that another one displaces has none of its hosts.
      .filter(({ conditions }) => !conditions.some(({ type, status }) => type === 'Accepted' && status === 'False'))
      .filter(({ hostname = '*' }) => coversHostname(hostname, name))
      .sort((a, b) => compareSpecificity(a.hostname ?? '*', b.hostname ?? '*'))[0]
  );
}

function backendsOf(action: ir.RouteAction, snapshot: ir.Snapshot): RouteTestBackend[] {
  if (action.kind !== 'forward') return [];
  const total = action.backends.reduce((sum, { weight }) => sum + weight, 0);
  return action.backends.flatMap(({ backend: key, weight }): RouteTestBackend[] => {
    const share = weight / total;
    const backend = key === undefined ? undefined : snapshot.backends.get(key);
    if (!backend)
      return [
        {
          namespace: null,
          service: null,
          port: null,
          share,
          endpoints: null,
          picker: null,
          status: action.invalidStatus,
          failing: null,
        },
      ];
    if (backend.ai?.kind === 'route') return servicesOf(backend.ai, share, snapshot);
    return [{ ...nameOf(backend), share, ...serversOf(backend, snapshot), failing: null }];
  });
}

/** How many servers a backend has, of an AIService that is a pool those of the pool, and what the proxy answers by itself. */
function serversOf(
  backend: ir.Backend,
  snapshot: ir.Snapshot,
): Pick<RouteTestBackend, 'endpoints' | 'picker' | 'status'> {
  const target = backend.ai?.kind === 'service' ? snapshot.backends.get(backend.ai.pool ?? '') : undefined;
  const { key, hostname, pool } = target ?? backend;
  if (hostname !== undefined) return { endpoints: null, picker: null, status: null };
  const known = snapshot.endpoints.get(pool?.servers ?? key)?.endpoints ?? [];
  const endpoints = known.filter(({ health }) => health === 'ready').length;
  const cannotServe = endpoints === 0 || (pool !== undefined && !pool.picker);
  return { endpoints, picker: pickerOf(key, pool), status: cannotServe ? 503 : null };
}

function pickerOf(key: string, pool: ir.Pool | undefined): RouteTestBackend['picker'] {
  if (!pool?.picker) return null;
  return {
    service: objectOf(pool.picker.backend),
    failureMode: pool.picker.failOpen ? 'FailOpen' : 'FailClose',
    pool: objectOf(key),
    lately: [],
  };
}

function objectOf(key: string): string {
  const { namespace, service } = ir.parseBackendKey(key);
  return `${namespace}/${service}`;
}

/** Which of them is asked is for the model in a request's body to say, which is not known here; a fallback's share is 0. */
function servicesOf({ choices }: ir.AiRoute, share: number, snapshot: ir.Snapshot): RouteTestBackend[] {
  const shares = new Map<string, number>();
  for (const choice of choices) {
    const total = choice.shares.reduce((sum, { weight }) => sum + weight, 0);
    for (const { weight, steps } of choice.shares) {
      for (const [at, { backend }] of steps.entries())
        shares.set(backend, Math.max(shares.get(backend) ?? 0, at === 0 ? (share * weight) / total : 0));
    }
  }
  if (shares.size === 0)
    return [
      { namespace: null, service: null, port: null, share, endpoints: null, picker: null, status: 503, failing: null },
    ];
  return [...shares].flatMap(([key, most]) => {
    const service = snapshot.backends.get(key);
    if (!service) return [];
    return [{ ...nameOf(service), share: most, ...serversOf(service, snapshot), failing: null }];
  });
}

const nameOf = ({ namespace, service, port }: ir.Backend) => ({ namespace, service, port });

import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { Lookup } from '../../graph/engine/index.ts';
import { type ConditionFault, defined, parseBackendKey } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import { backendTargets, winnerOf } from '../policies/index.ts';
import { connectionsOf } from './connections.ts';

type Policy = ObjectByKind['BackendPolicy'];
type Spec = Policy['spec'];
type Active = NonNullable<NonNullable<Spec['healthCheck']>['active']>;
type Passive = NonNullable<NonNullable<Spec['healthCheck']>['passive']>;
type HashSpec = NonNullable<NonNullable<Spec['loadBalancer']>['consistentHash']>;

/** What BackendPolicies are for. */
export const tunedTargets = backendTargets('BackendPolicy');

/** Whether a BackendPolicy says how a backend is treated, by its key. UDP has no connections that could fail or be counted. */
export const isTuned = (backend: string): boolean => parseBackendKey(backend).transport === 'TCP';

/** What the policy that a target has says of a backend that is spoken to in this way. */
export function tuningOf(target: string, protocol: ir.BackendProtocol, lookup: Lookup): ir.BackendTuning | undefined {
  const winner = winnerOf(tunedTargets, target, lookup);
  if (!winner || protocol === 'udp') return undefined;
  const spec = usableSpec(winner, lookup);
  const { healthCheck, circuitBreaker, loadBalancer, timeouts } = spec;
  const isHttp = protocol !== 'tcp';
  const tuning = defined<ir.BackendTuning>({
    activeCheck: healthCheck?.active && activeCheck(healthCheck.active, protocol),
    passiveCheck: healthCheck?.passive && passiveCheck(healthCheck.passive),
    panicPercent: healthCheck?.panicThreshold,
    limits: circuitBreaker && limitsOf(circuitBreaker),
    loadBalancer: loadBalancer && loadBalancerOf(loadBalancer, isHttp),
    timeouts: timeouts && {
      ...defined<ir.BackendTimeouts>({ connectMs: ms(timeouts.connect) }),
      ...(isHttp &&
        defined<ir.BackendTimeouts>({
          requestMs: ms(timeouts.request),
          idleMs: ms(timeouts.idle),
          maxConnectionDurationMs: ms(timeouts.maxConnectionDuration) || undefined,
        })),
    },
  });
  return { ...tuning, ...connectionsOf(spec, protocol) };
}

/**
 * What the policy of a target allows of default retries. A request that took longer than `timeouts.request` may still be in progress, and to
 * Envoy it is a connection that ended: it is not repeated.
 */
export function retriesOf(target: string, lookup: Lookup): ir.RetryLimit | undefined {
  const { retry, timeouts } = winnerOf(tunedTargets, target, lookup)?.spec ?? {};
  if (retry?.mode === 'Never') return 'never';
  return retry?.mode === 'NotProcessed' || timeouts?.request !== undefined ? 'notProcessed' : undefined;
}

/** Whether connections go to the address of the Service that a target is, and its network chooses an endpoint. */
export const goesToService = (target: string, lookup: Lookup): boolean =>
  winnerOf(tunedTargets, target, lookup)?.spec.addressing === 'Service';

/** Whether the policy says something that is in the routes to its targets. */
export const limitsRetries = ({ spec: { retry, timeouts } }: Policy): boolean =>
  retry !== undefined || timeouts?.request !== undefined;

/** The defaults are those of the definition, for objects that came by another way than the API server. */
function activeCheck(
  {
    interval,
    timeout,
    initialJitter,
    jitterPercent,
    port,
    unhealthyThreshold = 3,
    healthyThreshold = 1,
    ...probes
  }: Active,
  protocol: ir.BackendProtocol,
): ir.ActiveCheck | undefined {
  const probe = probeOf(probes, protocol);
  if (!probe) return undefined;
  const times = { intervalMs: ms(interval) ?? 5000, timeoutMs: ms(timeout) ?? 1000 };
  const initialJitterMs = ms(initialJitter);
  const jitter = {
    ...(initialJitterMs !== undefined && { initialJitterMs }),
    ...(jitterPercent !== undefined && { jitterPercent }),
  };
  const place = port === undefined ? {} : { port };
  return { ...times, ...jitter, ...place, unhealthyThreshold, healthyThreshold, probe };
}

/** Where bytes pass that may be TLS of the client, no request can be made: that a connection stands is all that can be seen. */
function probeOf(
  { http, grpc, tcp }: Pick<Active, 'http' | 'grpc' | 'tcp'>,
  protocol: ir.BackendProtocol,
): ir.HealthProbe | undefined {
  if (tcp) return { kind: 'tcp', ...tcp };
  if (protocol === 'tcp') return { kind: 'tcp' };
  // Envoy rejects the whole backend.
  if (grpc) return protocol === 'h2c' ? { kind: 'grpc', ...grpc } : undefined;
  if (!http) return undefined;
  return httpProbe(http);
}

const httpProbe = ({
  path = '/',
  host,
  method = 'GET',
  expectedStatuses = [],
  retriableStatuses,
  body,
  expectedBody,
}: NonNullable<Active['http']>): ir.HealthProbe => ({
  kind: 'http',
  path,
  ...(host !== undefined && { host }),
  method,
  statuses: expectedStatuses.map(rangeOf),
  ...(retriableStatuses && { retriable: retriableStatuses.map(rangeOf) }),
  ...(body !== undefined && { body }),
  ...(expectedBody !== undefined && { expectedBody }),
});

const rangeOf = ({ from, to = from }: { readonly from: number; readonly to?: number }) => ({ from, to });

const passiveCheck = (passive: Passive): ir.PassiveCheck => ({
  consecutive5xx: passive.consecutive5xx ?? 5,
  consecutiveGatewayErrors: passive.consecutiveGatewayErrors ?? 0,
  ...(passive.consecutiveLocalOriginFailures !== undefined && {
    consecutiveLocalOriginFailures: passive.consecutiveLocalOriginFailures,
  }),
  intervalMs: ms(passive.interval) ?? 10_000,
  baseEjectionMs: ms(passive.baseEjectionTime) ?? 30_000,
  maxEjectionMs: ms(passive.maxEjectionTime) ?? 300_000,
  maxEjectionPercent: passive.maxEjectionPercent ?? 50,
  ...(passive.failurePercentage && {
    failures: {
      percent: passive.failurePercentage.threshold,
      minRequests: passive.failurePercentage.minRequests ?? 50,
      minEndpoints: passive.failurePercentage.minEndpoints ?? 5,
    },
  }),
});

const limitsOf = (breaker: NonNullable<Spec['circuitBreaker']>): ir.BackendLimits =>
  defined<ir.BackendLimits>({
    connections: breaker.maxConnections,
    endpointConnections: breaker.maxConnectionsPerEndpoint,
    pendingRequests: breaker.maxPendingRequests,
    requests: breaker.maxParallelRequests,
    retries: breaker.maxParallelRetries,
    requestsPerConnection: breaker.maxRequestsPerConnection,
  });

/** A prime number, as Maglev wants it. */
const defaultTableSize = 65_537;

function loadBalancerOf(
  { type, consistentHash, slowStart }: NonNullable<Spec['loadBalancer']>,
  isHttp: boolean,
): ir.LoadBalancer | undefined {
  if (type === 'Random') return { kind: 'random' };
  if (type === 'ConsistentHash') {
    const tableSize = consistentHash?.tableSize ?? defaultTableSize;
    if (consistentHash?.type === 'Route') return isHttp ? { kind: 'hash', tableSize } : undefined;
    const key = consistentHash && hashKeyOf(consistentHash);
    // Connections have neither headers nor cookies.
    return key && (isHttp || key.kind === 'sourceIp') ? { kind: 'hash', key, tableSize } : undefined;
  }
  return {
    kind: type === 'LeastRequest' ? 'leastRequest' : 'roundRobin',
    ...(slowStart && {
      slowStart: { windowMs: ms(slowStart.window) ?? 0, minWeightPercent: slowStart.minWeightPercent ?? 10 },
    }),
  };
}

function hashKeyOf({ type, header, cookie }: HashSpec): ir.HashKey | undefined {
  if (type === 'SourceIP') return { kind: 'sourceIp' };
  if (type === 'Header') return header && { kind: 'header', name: header.name.toLowerCase() };
  return (
    cookie && {
      kind: 'cookie',
      name: cookie.name,
      ...defined<Omit<Extract<ir.HashKey, { kind: 'cookie' }>, 'kind' | 'name'>>({
        ttlMs: ms(cookie.ttl),
        path: cookie.path,
        domain: cookie.domain,
        sameSite: cookie.sameSite,
        secure: cookie.secure || undefined,
        partitioned: cookie.partitioned || undefined,
      }),
    }
  );
}

/** A part that is wrong is left out, as the status says; the rest works. */
function usableSpec({ spec }: Policy, { store }: Lookup): Spec {
  const { loadBalancer, tls, ...rest } = spec;
  return {
    ...rest,
    ...(loadBalancer && sizeFault(spec) === undefined && { loadBalancer }),
    ...(tls && { tls: mustVerify(spec, store) ? { ...tls, verification: undefined } : tls }),
  };
}

/** What the definition's own rules cannot say. */
export function valueFaults({ spec }: Policy, { store }: Lookup): ConditionFault[] {
  const unverified = mustVerify(spec, store)
    ? 'tls.verification: the operator has all certificates of backends verified (backends.tlsVerification), and so they are: use Pinned or Full'
    : undefined;
  return [sizeFault(spec), unverified].flatMap((message) =>
    message === undefined ? [] : [{ reason: 'Invalid', message }],
  );
}

const mustVerify = ({ tls }: Spec, { hosts }: Lookup['store']): boolean =>
  tls?.verification?.mode === 'None' && hosts.requiresVerification;

function sizeFault({ loadBalancer }: Spec): string | undefined {
  const size = loadBalancer?.consistentHash?.tableSize;
  return size === undefined || isPrime(size)
    ? undefined
    : `loadBalancer.consistentHash.tableSize ${size} is no prime number: ${nextPrime(size)} is one`;
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false;
  return number > 1;
}

function nextPrime(number: number): number {
  let next = number;
  while (!isPrime(next)) next++;
  return next;
}

const ms = (duration: string | undefined): number | undefined =>
  duration === undefined ? undefined : parseDurationMs(duration);

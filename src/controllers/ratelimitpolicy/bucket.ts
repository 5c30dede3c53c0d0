import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import type { FilterContent, Store } from '../../graph/engine/index.ts';
import { type ConditionFault, compileFault } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import { cidrFaults, cidrsOf, madeOnce } from '../policies/index.ts';
import { concurrentFaults, isConcurrent } from './concurrent.ts';
import { costFaults, costHeaders, costsOf } from './cost.ts';
import { descriptorFaults, entriesOf } from './descriptor.ts';
import { serviceOf } from './service.ts';

export type Policy = ObjectByKind['RateLimitPolicy'];
type BucketSpec = Policy['spec']['buckets'][number];
type MatchSpec = NonNullable<BucketSpec['match']>;
type KeySpec = NonNullable<BucketSpec['key']>[number];
type LimitSpec = NonNullable<BucketSpec['limits']>[number];

interface Lookup {
  readonly store: Store;
}

/** A bucket of a policy; without a value it is left out. */
export interface ResolvedBucket {
  readonly name: string;
  readonly value: ir.LimitBucket | undefined;
  readonly faults: readonly ConditionFault[];
}

const shortestMs = 100;
const longestMs = 720 * 3_600_000;
/** Of buckets of proxies in front of access policies, whose changes fill them again. */
const longestBeforeAuthMs = 60_000;

const stateHeaders = { XRateLimit: 'xRateLimit', RateLimit: 'rateLimit' } as const;
const phases = { BeforeAuth: 'beforeAuth', AfterAuth: 'afterAuth' } as const;

export const phaseOf = ({ spec: { phase = 'AfterAuth' } }: Policy): ir.LimitPhase => phases[phase];

/** The buckets of a policy, in its order. What is wrong with one of them changes nothing of the others. */
export function bucketsOf(policy: Policy, lookup: Lookup): readonly ResolvedBucket[] {
  const { service } = serviceOf(policy, lookup) ?? {};
  return madeOnce(policy, 'buckets', [service], () =>
    policy.spec.buckets.map((bucket): ResolvedBucket => {
      const faults = faultsOf(policy, bucket).map((message) => ({
        reason: 'Invalid',
        message: `bucket ${bucket.name} is left out: ${message}`,
      }));
      const value = faults.length > 0 ? undefined : limitBucket(policy, bucket, service);
      return { name: bucket.name, value, faults };
    }),
  );
}

/** Those that requests count against. */
export const validBucketsOf = (policy: Policy, lookup: Lookup): readonly ir.LimitBucket[] =>
  bucketsOf(policy, lookup).flatMap(({ value }) => value ?? []);

/** How proxies and the status of the policy call them. */
export const contentsOf = (policy: Policy, lookup: Lookup): readonly FilterContent[] =>
  bucketsOf(policy, lookup).flatMap(({ name, value }) =>
    value ? { kind: 'limit' as const, key: value.id, name: `bucket ${name}`, digest: () => ir.digestOf(value) } : [],
  );

function faultsOf({ spec }: Policy, bucket: BucketSpec): string[] {
  const { match = {}, key = [], limits = [], headers: state } = bucket;
  const { clientCIDRs = {}, headers = [] } = match;
  const names = [
    ...headers.map(({ name }) => name),
    ...key.flatMap(({ type, name }) => (type === 'Header' ? name : [])),
  ];
  return [
    ...cidrFaults('match.clientCIDRs.include', clientCIDRs.include),
    ...cidrFaults('match.clientCIDRs.exclude', clientCIDRs.exclude),
    ...[...names, ...costHeaders(bucket)].flatMap((name = '') => headerFault(name) ?? []),
    ...costFaults(bucket, spec.counting),
    ...(match.path ? pathFault(match.path) : []),
    ...limits.flatMap((limit) => limitFault(limit, spec) ?? []),
    ...(limits.length === 0 && !isConcurrent(bucket) && spec.counting !== 'Service'
      ? ['it has no limits: add some']
      : []),
    ...concurrentFaults(bucket, spec.counting),
    ...(spec.phase === 'BeforeAuth' && key.some(({ type }) => type === 'Identity') ? [identityFault] : []),
    ...descriptorFaults(bucket, spec.counting, match && matchOf(match)),
    ...(state === 'RateLimit' && spec.counting !== 'Shared' ? ['headers RateLimit is for counting: Shared'] : []),
  ];
}

const identityFault = 'with phase BeforeAuth it is not known yet who a client is: remove phase, or the key Identity';

/** Proxies compare paths by a regular expression, since segments may have parameters. */
function pathFault(spec: NonNullable<MatchSpec['path']>): string[] {
  const path = pathOf(spec);
  const fault = path && compileFault(ir.withPathParameters(path).value);
  return fault === undefined ? [] : [`match.path: ${spec.value.slice(0, 64)}… is too long to compare: shorten it`];
}

function headerFault(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (ir.isOwnHeader(lower)) return `the header ${name} is one of the proxy's own, which requests never have`;
  return lower === 'host' ? 'the header Host is written by clients in several ways: use a key of type Host' : undefined;
}

function limitFault({ per }: LimitSpec, { phase, counting }: Policy['spec']): string | undefined {
  const perMs = parseDurationMs(per);
  if (perMs === undefined) return `${JSON.stringify(per)} is not a duration: write one such as 1s, 1m or 24h`;
  if (perMs < shortestMs || perMs > longestMs) return `${per} is not from 100ms to 720h`;
  if (phase !== 'BeforeAuth' || counting === 'Shared' || perMs <= longestBeforeAuthMs) return undefined;
  return `${per} is longer than 60s, which phase BeforeAuth cannot have: set counting to Shared`;
}

function limitBucket(policy: Policy, bucket: BucketSpec, service: ir.LimitServer | undefined): ir.LimitBucket {
  const { name, match, key = [], absent, limits = [], headers, concurrent } = bucket;
  const { onLimit, response, counting, onFailure, targetRefs } = policy.spec;
  const matched = match && matchOf(match);
  return {
    id: ir.bucketId(keyOf(policy), name),
    phase: phaseOf(policy),
    ...(matched && Object.keys(matched).length > 0 && { match: matched }),
    key: key.map(limitKey),
    ...(absent === 'Exempt' && { exempt: true }),
    limits: limits.map(rateLimit),
    ...(concurrent !== undefined && { concurrent }),
    ...costsOf(bucket),
    ...(counting === 'Shared' && {
      shared: onFailure === 'Reject' ? 'reject' : 'ownPart',
      ...(targetRefs.length > 1 && { byTarget: true }),
    }),
    ...(service && { service, descriptor: entriesOf(bucket) }),
    ...(onLimit === 'Shadow' && { shadow: true }),
    status: response?.status ?? 429,
    ...(headers && headers !== 'None' && { headers: stateHeaders[headers] }),
  };
}

const rateLimit = ({ requests, per, burst }: LimitSpec): ir.RateLimit => ({
  requests,
  perMs: parseDurationMs(per) ?? 0,
  burst: burst ?? requests,
});

function matchOf({ methods, path, headers, queryParams, clientCIDRs = {} }: MatchSpec): ir.LimitMatch {
  const { include, exclude } = clientCIDRs;
  const pathMatch = path && pathOf(path);
  return {
    ...(methods && { methods: [...methods] }),
    ...(pathMatch && { path: pathMatch }),
    ...(headers && { headers: headers.map((each) => namedOf({ ...each, name: each.name.toLowerCase() })) }),
    ...(queryParams && { queryParams: queryParams.map(namedOf) }),
    ...(include && { include: cidrsOf(include) }),
    ...(exclude && { exclude: cidrsOf(exclude) }),
  };
}

/** Undefined: every path. */
function pathOf({ type = 'PathPrefix', value }: NonNullable<MatchSpec['path']>): ir.PathMatch | undefined {
  if (type === 'Exact') return { kind: 'exact', value };
  const prefix = value.replace(/\/+$/, '');
  return prefix === '' ? undefined : { kind: 'prefix', value: prefix };
}

const namedOf = ({
  name,
  value,
}: {
  readonly name: string;
  readonly value?: string;
}): ir.NamedMatch | ir.NamedPresence => (value === undefined ? { name } : { name, match: { kind: 'exact', value } });

const namedKinds = { Cookie: 'cookie', QueryParam: 'query' } as const;
const plainKinds = { Method: 'method', Path: 'path', Host: 'host', Route: 'route', Identity: 'identity' } as const;

function limitKey({ type, name = '', v4Prefix = 32, v6Prefix = 64, entry }: KeySpec): ir.LimitKey {
  const called = entry === undefined ? {} : { entry };
  switch (type) {
    case 'ClientIP':
      return { kind: 'clientIP', v4Prefix, v6Prefix };
    case 'Header':
      return { kind: 'header', name: name.toLowerCase(), ...called };
    case 'Cookie':
    case 'QueryParam':
      return { kind: namedKinds[type], name, ...called };
    default:
      return { kind: plainKinds[type], ...called };
  }
}

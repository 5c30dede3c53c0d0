import { experimentalGroup, keyOf, type ObjectByKind, type PolicyStatus, parseDuration } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { ancestorStatus } from './ancestors.ts';
import { compareAge } from './compare-age.ts';
import { combineFaults, conditionOf, type Fault } from './condition.ts';
import { ReverseIndex } from './reverse-index.ts';
import { sessionFault } from './session.ts';
import type { Store } from './store.ts';
import { xBackendOwner } from './x-backend.ts';

type Policy = ObjectByKind['XBackendTrafficPolicy'];
type TargetRef = Policy['spec']['targetRefs'][number];

/** Which XBackendTrafficPolicies are for which Service (by its key) or XBackend (by xBackendOwner). */
export class TrafficPolicyIndex {
  readonly byTarget = new ReverseIndex();

  set(key: string, policy: Policy | undefined): void {
    this.byTarget.set(key, policy ? targetsOf(policy) : []);
  }
}

/** What a policy is for, as TrafficPolicyIndex has it; targets of other kinds are left out. */
export const targetsOf = (policy: Policy): string[] => [
  ...new Set(policy.spec.targetRefs.flatMap((ref) => targetOf(policy, ref) ?? [])),
];

function targetOf({ metadata }: Policy, { group, kind, name }: TargetRef): string | undefined {
  const key = `${metadata.namespace}/${name}`;
  if (group === '' && kind === 'Service') return key;
  return group === experimentalGroup && kind === 'XBackend' ? xBackendOwner(key) : undefined;
}

/** The policy that rules a target: the oldest, then the first by key. Source: GEP-713 on conflicts. */
export function rulerOf(target: string, policies: TrafficPolicyIndex, store: Store): Policy | undefined {
  const found = [...policies.byTarget.sourcesOf(target)].flatMap(
    (key) => store.find('XBackendTrafficPolicy', key) ?? [],
  );
  const [first] = found.sort(compareAge);
  return first;
}

// Source: BudgetDetails and RetryConstraint.minRetryRate, their defaults.
const defaultPercent = 20;
const defaultInterval = '10s';
const defaultRate = { count: 10, interval: '1s' };

/** How many retries a target may get; undefined when no policy says. Source: GEP-3388. */
export function retryBudgetOf(target: string, policies: TrafficPolicyIndex, store: Store): ir.RetryBudget | undefined {
  const { budget, minRetryRate } = rulerOf(target, policies, store)?.spec.retryConstraint ?? {};
  if (!budget && !minRetryRate) return undefined;
  const { count = defaultRate.count, interval: rateInterval = defaultRate.interval } = minRetryRate ?? {};
  const rateMs = parseDuration(rateInterval) || 1000;
  return {
    percent: budget?.percent ?? defaultPercent,
    intervalMs: parseDuration(budget?.interval ?? defaultInterval) || 10_000,
    minPerSecond: Math.max(1, Math.ceil((count * 1000) / rateMs)),
  };
}

/** The status we wish a policy to have, for the Gateways (by key) that send requests to its targets. */
export function trafficPolicyStatus(
  policy: Policy,
  gateways: Iterable<string>,
  controllerName: string,
  policies: TrafficPolicyIndex,
  store: Store,
): PolicyStatus {
  const generation = policy.metadata.generation ?? 0;
  const { targetRefs, sessionPersistence } = policy.spec;
  const faults = [
    ...targetRefs.flatMap((ref) => targetFault(policy, ref, policies, store) ?? []),
    ...[sessionPersistence && sessionFault(sessionPersistence)].flatMap((fault) => fault ?? []),
  ];
  const conditions = [conditionOf('Accepted', generation, combineFaults(faults), remark(policy))];
  return ancestorStatus('XBackendTrafficPolicy', gateways, controllerName, conditions);
}

const remark = ({ spec }: Policy): Partial<Fault> =>
  spec.sessionPersistence ? { message: 'sessionPersistence is deprecated here: set it in an XBackend' } : {};

/** A target that is not there, or that an older policy has already. */
function targetFault(policy: Policy, ref: TargetRef, policies: TrafficPolicyIndex, store: Store): Fault | undefined {
  const { group, kind, name } = ref;
  const target = targetOf(policy, ref);
  const what = `${kind} ${policy.metadata.namespace}/${name}`;
  const notFound = (message: string): Fault => ({ reason: 'TargetNotFound', message });
  if (!target) {
    return notFound(
      `targetRef ${name} is a ${group ? `${group}/` : ''}${kind}: only Services and XBackends of ${experimentalGroup} are supported`,
    );
  }
  const key = `${policy.metadata.namespace}/${name}`;
  const isThere = kind === 'Service' ? store.find('Service', key) : store.find('XBackend', key);
  if (!isThere) return notFound(`${what} does not exist`);
  const ruler = rulerOf(target, policies, store);
  if (!ruler || keyOf(ruler) === keyOf(policy)) return undefined;
  return {
    reason: 'Conflicted',
    message: `${what} has the older XBackendTrafficPolicy ${keyOf(ruler)} already: change or remove one of them`,
  };
}

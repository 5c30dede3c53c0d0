import type { ObjectByKind, PolicyStatus } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { parseDurationMs } from '../std/index.ts';
import { ancestorStatus } from './ancestors.ts';
import { sessionFault } from './backends/session.ts';
import type { Store } from './engine/store.ts';
import { combineFaults, conditionOf, type Fault } from './model/condition.ts';
import { rulerOf, type TargetIndex, targetFaults } from './policy-targets.ts';

type Policy = ObjectByKind['XBackendTrafficPolicy'];

// Source: BudgetDetails and RetryConstraint.minRetryRate, their defaults.
const defaultPercent = 20;
const defaultInterval = '10s';
const defaultRate = { count: 10, interval: '1s' };

/** How many retries a target may get; undefined when no policy says. Source: GEP-3388. */
export function retryBudgetOf(target: string, policies: TargetIndex, store: Store): ir.RetryBudget | undefined {
  const ruler = rulerOf('XBackendTrafficPolicy', target, policies, store);
  const { budget, minRetryRate } = ruler?.spec.retryConstraint ?? {};
  if (!budget && !minRetryRate) return undefined;
  const { count = defaultRate.count, interval: rateInterval = defaultRate.interval } = minRetryRate ?? {};
  const rateMs = parseDurationMs(rateInterval) || 1000;
  return {
    percent: budget?.percent ?? defaultPercent,
    intervalMs: parseDurationMs(budget?.interval ?? defaultInterval) || 10_000,
    minPerSecond: Math.max(1, Math.ceil((count * 1000) / rateMs)),
  };
}

/** The status we wish a policy to have, for the Gateways (by key) that send requests to its targets. */
export function trafficPolicyStatus(
  policy: Policy,
  gateways: Iterable<string>,
  controllerName: string,
  policies: TargetIndex,
  store: Store,
): PolicyStatus {
  const generation = policy.metadata.generation ?? 0;
  const { sessionPersistence } = policy.spec;
  const faults = [
    ...targetFaults(policy, policies, store),
    ...[sessionPersistence && sessionFault(sessionPersistence)].flatMap((fault) => fault ?? []),
  ];
  const conditions = [conditionOf('Accepted', generation, combineFaults(faults), remark(policy))];
  return ancestorStatus('XBackendTrafficPolicy', gateways, controllerName, conditions);
}

const remark = ({ spec }: Policy): Partial<Fault> =>
  spec.sessionPersistence ? { message: 'sessionPersistence is deprecated here: set it in an XBackend' } : {};

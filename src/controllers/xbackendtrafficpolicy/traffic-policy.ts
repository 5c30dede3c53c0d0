import type { ObjectByKind } from '../../gateway-api/index.ts';
import { sessionFault } from '../../graph/backends/index.ts';
import {
  type BackendSetting,
  type Change,
  type GatewayConditions,
  type Lookup,
  type Marking,
  type StatusContext,
  versionsOf,
} from '../../graph/engine/index.ts';
import {
  appliesPolicies,
  type BackendSession,
  type ConditionFault,
  combineFaults,
  conditionOf,
  parseBackendKey,
  parseBackendOwner,
} from '../../graph/model/index.ts';
import { markRoutesTo } from '../../graph/routes/index.ts';
import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import {
  backendTargets,
  conditionsAt,
  markTargets,
  policiesOf,
  targetFaults,
  targetsOf,
  targetsOfBoth,
  winnerOf,
} from '../policies/index.ts';

type Policy = ObjectByKind['XBackendTrafficPolicy'];

/** What XBackendTrafficPolicies are for. */
export const trafficTargets = backendTargets('XBackendTrafficPolicy');

// Source: BudgetDetails and RetryConstraint.minRetryRate, their defaults.
const defaultPercent = 20;
const defaultInterval = '10s';
const defaultRate = { count: 10, interval: '1s' };

/** How many retries a target may get; undefined when no policy says. Source: GEP-3388. */
function retryBudgetOf(target: string, lookup: Lookup): ir.RetryBudget | undefined {
  const { budget, minRetryRate } = winnerOf(trafficTargets, target, lookup)?.spec.retryConstraint ?? {};
  if (!budget && !minRetryRate) return undefined;
  const { count = defaultRate.count, interval: rateInterval = defaultRate.interval } = minRetryRate ?? {};
  const rateMs = parseDurationMs(rateInterval) || 1000;
  return {
    percent: budget?.percent ?? defaultPercent,
    intervalMs: parseDurationMs(budget?.interval ?? defaultInterval) || 10_000,
    minPerSecond: Math.max(1, Math.ceil((count * 1000) / rateMs)),
  };
}

/** Connections and datagrams are not retried. */
export function retrySetting(owner: string, { key, protocol }: ir.Backend, lookup: Lookup): BackendSetting | undefined {
  if (protocol === 'udp' || parseBackendKey(key).stream) return undefined;
  const retryBudget = retryBudgetOf(owner, lookup);
  return retryBudget && { fields: { retryBudget } };
}

/** What the policy of a target says of sessions. */
export function sessionOfTarget(owner: string, lookup: Lookup): BackendSession | undefined {
  const policy = winnerOf(trafficTargets, owner, lookup);
  const spec = policy?.spec.sessionPersistence;
  if (!policy || !spec) return undefined;
  const { namespace = '', name } = policy.metadata;
  return { spec, source: { kind: 'XBackendTrafficPolicy', namespace, name } };
}

/** The conditions of a policy, for the Gateways that send requests to its targets. */
export function trafficPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const generation = policy.metadata.generation ?? 0;
  const { sessionPersistence } = policy.spec;
  const faults = [
    ...targetFaults(trafficTargets, policy, context),
    ...[sessionPersistence && sessionFault(sessionPersistence)].flatMap((fault) => fault ?? []),
  ];
  const backends = context.backends.of(targetsOf(policy)).filter((key) => appliesPolicies(parseBackendKey(key)));
  const conditions = [conditionOf('Accepted', generation, combineFaults(faults), remark(policy))];
  return conditionsAt(context.backends.gatewaysOf(backends), conditions);
}

/** Beside its targets, the routes that have sessions by it. */
export function markTrafficPolicy(change: Change<'XBackendTrafficPolicy'>, marking: Marking): void {
  markTargets(trafficTargets, change, marking);
  for (const target of targetsOfBoth(change)) {
    // Sessions are in routes; another policy may win now, so those of others count.
    const all = [...versionsOf(change), ...policiesOf(trafficTargets, target, marking)];
    if (all.some(({ spec }) => spec.sessionPersistence)) markRoutesTo(parseBackendOwner(target).key, marking);
  }
}

const remark = ({ spec }: Policy): Partial<ConditionFault> =>
  spec.sessionPersistence ? { message: 'sessionPersistence is deprecated here: set it in an XBackend' } : {};

import type { ObjectByKind } from '../../gateway-api/index.ts';
import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { type ConditionFault, combineFaults, conditionOf } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { conditionsAt, targetFaults, targetsOf } from '../policies/index.ts';
import { isTuned, tunedTargets, valueFaults } from './tuning.ts';

type Policy = ObjectByKind['BackendPolicy'];

/** The conditions of a policy, for the Gateways that use some backends of its targets. */
export function backendPolicyConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const keys = context.backends.of(targetsOf(policy)).filter(isTuned);
  const backends = keys.flatMap((backend) => context.backends.find(backend) ?? []);
  const faults = [...targetFaults(tunedTargets, policy, context), ...valueFaults(policy)];
  const conditions = [
    conditionOf('Accepted', policy.metadata.generation ?? 0, combineFaults(faults), remark(policy, backends)),
  ];
  return conditionsAt(context.backends.gatewaysOf(keys), conditions, context.backends.rejectionOf(keys));
}

/** What is taken, and does nothing for some of the backends. */
function remark({ spec }: Policy, backends: readonly ir.Backend[]): Partial<ConditionFault> {
  const unchecked = spec.healthCheck?.active?.grpc ? backends.filter(({ protocol }) => protocol === 'http1') : [];
  if (unchecked.length === 0) return {};
  const names = [...new Set(unchecked.map(({ namespace, service, port }) => `${namespace}/${service}:${port}`))];
  return {
    message: `${names.sort().join(', ')} is spoken to by HTTP/1.1, so it is not checked by gRPC: set appProtocol kubernetes.io/h2c, or an http check`,
  };
}

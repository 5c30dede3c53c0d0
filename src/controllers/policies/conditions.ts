import type { Condition } from '../../gateway-api/index.ts';
import type { GatewayConditions } from '../../graph/engine/index.ts';
import { type ConditionFault, conditionOf } from '../../graph/model/index.ts';

/**
 * The same conditions at each Gateway, but that a policy is not accepted where the proxies reject what it makes of a backend.
 * Source of the reason: PolicyReasonInvalid.
 */
export const conditionsAt = (
  gateways: Iterable<string>,
  conditions: readonly Condition[],
  rejectionAt: (gateway: string) => ConditionFault | undefined = () => undefined,
): GatewayConditions =>
  new Map([...gateways].map((gateway) => [gateway, withRejection(conditions, rejectionAt(gateway))] as const));

function withRejection(conditions: readonly Condition[], fault: ConditionFault | undefined): readonly Condition[] {
  if (!fault) return conditions;
  return conditions.map((condition) =>
    condition.type === 'Accepted' && condition.status === 'True'
      ? conditionOf('Accepted', condition.observedGeneration ?? 0, { reason: 'Invalid', message: fault.message })
      : condition,
  );
}

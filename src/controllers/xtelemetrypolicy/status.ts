import { keyOf } from '../../gateway-api/index.ts';
import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { type ConditionFault, combineFaults, conditionOf } from '../../graph/model/index.ts';
import { gatewaysOfTelemetry, type TelemetryPolicy, telemetryOf, telemetryPolicyOf } from '../policies/index.ts';

/** The conditions of a policy, at each Gateway of ours that it names. */
export function telemetryConditions(policy: TelemetryPolicy, context: StatusContext): GatewayConditions {
  const generation = policy.metadata.generation ?? 0;
  const { fault, referenceFault } = telemetryOf(policy, context.store);
  const resolved = conditionOf('ResolvedRefs', generation, referenceFault);
  const gateways = gatewaysOfTelemetry(policy);
  const others = [...missingTargets(policy, gateways, context), ...(fault ? [fault] : [])];
  return new Map(
    gateways
      .filter((gateway) => context.gateways.has(gateway))
      .map((gateway) => {
        const faults = [...conflictAt(gateway, policy, context), ...others];
        return [gateway, [conditionOf('Accepted', generation, combineFaults(faults)), resolved]] as const;
      }),
  );
}

function conflictAt(gateway: string, policy: TelemetryPolicy, { edges, store }: StatusContext): ConditionFault[] {
  const winner = telemetryPolicyOf(gateway, edges, store);
  if (!winner || keyOf(winner) === keyOf(policy)) return [];
  const message = `Gateway ${gateway} has the older XTelemetryPolicy ${keyOf(winner)} already: change or remove one of them`;
  return [{ reason: 'Conflicted', message }];
}

function missingTargets(
  { spec }: TelemetryPolicy,
  gateways: readonly string[],
  { store }: StatusContext,
): ConditionFault[] {
  const missing = gateways.filter((key) => !store.find('Gateway', key)).map((key) => `Gateway ${key} does not exist`);
  const others = spec.targetRefs
    .filter(({ kind }) => kind !== 'Gateway')
    .map(({ kind, name }) => `${kind} ${name} is no Gateway: name a Gateway of group gateway.networking.k8s.io`);
  return [...missing, ...others].map((message) => ({ reason: 'TargetNotFound', message }));
}

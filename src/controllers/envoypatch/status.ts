import type { GatewayConditions, StatusContext } from '../../graph/engine/index.ts';
import { combineFaults, conditionOf } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { conditionsAt, targetFaults, targetsOf } from '../policies/index.ts';
import { contentFaults, isPatched, type Policy, patchContent, patchedTargets } from './patch.ts';

/** The conditions of a policy, for the Gateways that use some backends of its targets. */
export function envoyPatchConditions(policy: Policy, context: StatusContext): GatewayConditions {
  const keys = context.backends.of(targetsOf(policy)).filter(isPatched);
  const backends = keys.flatMap((key) => context.backends.find(key) ?? []);
  const patched = backends.filter((backend) => patchContent(policy, backend).length > 0);
  const faults = [...targetFaults(patchedTargets, policy, context), ...contentFaults(policy)];
  const accepted = conditionOf('Accepted', policy.metadata.generation ?? 0, combineFaults(faults), {
    message: remarkOf(policy, patched),
  });
  const contents = patched.flatMap((backend) => patchContent(policy, backend));
  return conditionsAt(context.backends.gatewaysOf(keys), [accepted], context.filters.rejectionOf(contents));
}

const maxNamed = 8;

/** What is patched, and with what. */
function remarkOf({ spec }: Policy, patched: readonly ir.Backend[]): string {
  if (patched.length === 0) return '';
  const names = patched.map(({ key }) => key).sort();
  const rest = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  const idle = patched.filter(({ protocol }) => protocol === 'tcp').map(({ key }) => key);
  const fields = (['cluster', 'httpProtocolOptions'] as const).flatMap((part) =>
    Object.keys(spec[part] ?? {}).map((field) => `${part}.${field}`),
  );
  const patches = `patches ${fields.sort().join(', ')} of ${names.slice(0, maxNamed).join(', ')}${rest}`;
  return spec.httpProtocolOptions && idle.length > 0
    ? `${patches}; httpProtocolOptions do nothing to ${idle.sort().slice(0, maxNamed).join(', ')}, whose bytes pass as they are`
    : patches;
}

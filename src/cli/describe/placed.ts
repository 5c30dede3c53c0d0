import { ruleLabel } from '../../gateway-api/index.ts';
import type { Wire } from '../kit/wire.ts';

/** `at infra/edge, rule 0`. A control plane of an older release does not say names of rules. */
export function placeText({
  gateway,
  section,
  rule,
  ruleName,
}: Pick<Wire['trafficPolicyEntry'], 'gateway' | 'section' | 'rule'> & { readonly ruleName?: string | null }): string {
  const part = rule !== null ? `, rule ${ruleLabel(rule, ruleName)}` : section === null ? '' : `, listener ${section}`;
  return `at ${gateway.namespace}/${gateway.name}${part}`;
}

import type { Wire } from '../kit/wire.ts';

/** `at infra/edge, rule 0` */
export function placeText({
  gateway,
  section,
  rule,
}: Pick<Wire['trafficPolicyEntry'], 'gateway' | 'section' | 'rule'>): string {
  const part = rule !== null ? `, rule ${rule}` : section === null ? '' : `, listener ${section}`;
  return `at ${gateway.namespace}/${gateway.name}${part}`;
}

import { objectKey } from '../../gateway-api/index.ts';
import type { StatusContext } from '../../graph/engine/index.ts';
import { answersItself } from '../policies/index.ts';
import type { Policy } from './bucket.ts';

/** What a policy does not count although it is for it, for its status: proxies ask for no count of what they answer by themselves. */
export function uncountedNote(policy: Policy, context: Pick<StatusContext, 'store'>): string | undefined {
  const { counting = 'Proxy' } = policy.spec;
  if (counting === 'Proxy') return undefined;
  const rules = policy.spec.targetRefs.flatMap((ref) => answeredOf(policy, ref, context));
  if (rules.length === 0) return undefined;
  return `not counted, since counting: ${counting} does not count what proxies answer themselves: ${[...new Set(rules)].join(', ')}`;
}

function answeredOf(
  { metadata }: Policy,
  { kind, name, sectionName }: Policy['spec']['targetRefs'][number],
  { store }: Pick<StatusContext, 'store'>,
): string[] {
  if (kind !== 'HTTPRoute') return [];
  const key = objectKey(metadata.namespace ?? '', name);
  const rules = store.find('HTTPRoute', key)?.spec.rules ?? [];
  return rules.flatMap((rule, index) => {
    const isMeant = sectionName === undefined || rule.name === sectionName;
    return isMeant && answersItself(rule, metadata.namespace ?? '', store)
      ? [`rule ${rule.name ?? index} of HTTPRoute ${key}`]
      : [];
  });
}

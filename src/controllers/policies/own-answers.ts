import { objectKey } from '../../gateway-api/index.ts';
import type { AccessPlace, Store } from '../../graph/engine/index.ts';
import { parseRouteKey, type RuleSpec } from '../../graph/model/index.ts';

/** Whether the proxy answers requests of a rule by itself, by a redirect or an answer that a filter has, and asks no backend. */
export const answersItself = ({ filters = [] }: RuleSpec, namespace: string, store: Pick<Store, 'find'>): boolean =>
  filters.some(({ type, extensionRef }) => {
    if (type === 'RequestRedirect') return true;
    if (extensionRef?.kind !== 'HTTPFilter') return false;
    const spec = store.find('HTTPFilter', objectKey(namespace, extensionRef.name))?.spec;
    return spec?.regexRedirect !== undefined || spec?.directResponse !== undefined;
  });

/** The same of the rule of a place; false where there is none. */
export function isAnsweredAt({ route, ruleIndex }: AccessPlace, store: Pick<Store, 'find'>): boolean {
  if (route === undefined || ruleIndex === undefined) return false;
  const { kind, key } = parseRouteKey(route);
  if (kind !== 'HTTPRoute') return false;
  const found = store.find(kind, key);
  const rule = found?.spec.rules?.[ruleIndex];
  return rule !== undefined && answersItself(rule as RuleSpec, found?.metadata.namespace ?? '', store);
}

import { type ObjectKey, objectKey, parseObjectKey } from '../../../gateway-api/index.ts';
import type { Key } from '../../../std/index.ts';

/** `NAMESPACE/TOKENPOLICY KEY`: what a request counts for, as proxies carry it from the rate limit to the log. */
export type BudgetKey = Key<'budget'>;

/** `key`: what the policy counts by, such as the value of a header; it may hold anything. */
export const budgetKey = (policy: ObjectKey, key: string): BudgetKey => `${policy} ${key}` as BudgetKey;

/** The key of the TokenPolicy, and what it counts by. From a log: text of any other shape has an empty half. */
export function parseBudgetKey(text: string): { readonly policy: ObjectKey; readonly key: string } {
  const space = text.indexOf(' ');
  const { namespace, name } = parseObjectKey(text.slice(0, Math.max(0, space)));
  return { policy: objectKey(namespace, name), key: text.slice(space + 1) };
}

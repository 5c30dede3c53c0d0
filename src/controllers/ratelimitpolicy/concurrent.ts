import type { ObjectByKind } from '../../gateway-api/index.ts';

type PolicySpec = ObjectByKind['RateLimitPolicy']['spec'];
type Spec = PolicySpec['buckets'][number];

/** What the agent does not look at. */
const otherKeys = ['Cookie', 'QueryParam'];

/** Whether it counts requests that are under way, and not those of a time. */
export const isConcurrent = ({ concurrent }: Spec): boolean => concurrent !== undefined;

export function concurrentFaults(bucket: Spec, counting: PolicySpec['counting']): string[] {
  if (!isConcurrent(bucket)) return [];
  const { limits, match, cost, headers, key = [] } = bucket;
  const others = key.flatMap(({ type }) => (otherKeys.includes(type) ? type : []));
  return [
    ...(counting === undefined || counting === 'Proxy' ? [] : ['concurrent is for counting: Proxy']),
    ...(limits ? ['it has concurrent and limits: have a bucket for each'] : []),
    ...(match
      ? ['concurrent has no match: give the requests a route or rule of their own, and make that the target']
      : []),
    ...(cost ? ['concurrent has no cost: each request counts as one'] : []),
    ...(headers && headers !== 'None' ? ['concurrent has no headers'] : []),
    ...(others.length > 0 ? [`concurrent cannot have a key of type ${others.join(' or ')}`] : []),
  ];
}

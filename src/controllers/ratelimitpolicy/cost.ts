import type { ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';

type PolicySpec = ObjectByKind['RateLimitPolicy']['spec'];
type Spec = Pick<PolicySpec['buckets'][number], 'cost' | 'limits'>;

/** What a service may be asked for at once. */
const mostHits = 4_294_967_295;

/** How much a bucket holds at once: a request that costs more would never come through. */
const mostOf = ({ limits }: Spec): number =>
  Math.min(mostHits, ...(limits ?? []).map(({ requests, burst = requests }) => burst));

/** What requests take when they come in, and besides when their responses have ended; undefined: one, and nothing. */
export function costsOf(spec: Spec): Pick<ir.LimitBucket, 'cost' | 'responseCost'> {
  const { request = {}, response } = spec.cost ?? {};
  const most = (max = Number.POSITIVE_INFINITY): number => Math.min(max, mostOf(spec));
  const cost = requestCost(request, most(request.fromHeader?.max));
  const answered = response?.fromHeader;
  return {
    ...(cost && { cost }),
    ...(answered && { responseCost: { name: answered.name.toLowerCase(), most: most(answered.max) } }),
  };
}

function requestCost(
  { number = 1, fromHeader }: NonNullable<NonNullable<Spec['cost']>['request']>,
  most: number,
): ir.LimitCost | undefined {
  if (!fromHeader) return number === 1 ? undefined : { kind: 'fixed', requests: number };
  return { kind: 'header', name: fromHeader.name.toLowerCase(), otherwise: fromHeader.default ?? 1, most };
}

/** Names of headers that a cost asks for. */
export const costHeaders = ({ cost }: Spec): readonly string[] =>
  [cost?.request?.fromHeader?.name, cost?.response?.fromHeader.name].flatMap((name) => name ?? []);

export function costFaults(spec: Spec, counting: PolicySpec['counting']): string[] {
  const { request = {}, response } = spec.cost ?? {};
  const { number, fromHeader } = request;
  return [
    ...beyondFault('cost.request.number', number, spec),
    ...beyondFault('cost.request.fromHeader.default', fromHeader?.default, spec),
    ...costHeaders(spec)
      .filter((name) => !/^[A-Za-z0-9_-]+$/.test(name))
      .map((name) => `the header ${name} of cost has other characters than letters, digits, - and _`),
    ...(response && counting !== 'Shared' ? ['cost.response is for counting: Shared'] : []),
    ...(number === 0 && !response ? ['with cost.request.number 0 it would never be empty: add cost.response'] : []),
  ];
}

function beyondFault(field: string, cost: number | undefined, spec: Spec): string[] {
  const most = mostOf(spec);
  if (cost === undefined || cost <= most) return [];
  return [`${field} ${cost} is more than the ${most} that it holds at once, so that no request would come through`];
}

import type { Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, numberOf, textAt, textOf } from '../../kit/values.ts';

/** Lengths of windows. A month is 30 days in both. */
const windows: Readonly<Record<string, string>> = {
  Second: '1s',
  Minute: '1m',
  Hour: '1h',
  Day: '24h',
  Week: '168h',
  Month: '720h',
};

/** Rules of `rateLimit.local` or `rateLimit.global` as buckets of a RateLimitPolicy, which the draft has as `kind`. */
export const bucketsOf = (kind: string, counting: 'Proxy' | 'Shared') => (value: unknown, visit: Visit) => {
  const buckets: Fields[] = [];
  const isShadow: boolean[] = [];
  visit.each(value, (rule, at) => {
    const bucket = bucketOf(rule, at, buckets.length);
    if (bucket === undefined) return;
    buckets.push(bucket);
    isShadow.push(rule.shadowMode === true);
  });
  if (buckets.length === 0) return;
  visit.set(`${kind}.counting`, counting);
  if (isShadow.every(Boolean)) visit.set(`${kind}.onLimit`, 'Shadow');
  else if (isShadow.some(Boolean))
    visit.note('decision', 'some rules only watch, and a policy here watches or limits as a whole: all limit');
  visit.set(`${kind}.buckets`, buckets);
};

function bucketOf(rule: Fields, visit: Visit, index: number): Fields | undefined {
  const { clientSelectors = [], cost, limit, shared, xRateLimitHeaders } = rule;
  const { requests, unit, fromMetadata } = fieldsOf(limit);
  if (fromMetadata !== undefined) return lost(visit.at('limit.fromMetadata'), 'limits are numbers');
  const per = windows[textOf(unit)];
  if (per === undefined) return lost(visit.at('limit.unit'), 'a window has 30 days at most');
  const selected = selectionOf(listOf(clientSelectors).map(fieldsOf), visit.at('clientSelectors'));
  if (selected === undefined) return undefined;
  const number = costOf(cost, visit.at('cost'));
  if (number === null) return undefined;
  if (shared === true) visit.at('shared').note('same', 'all requests of the targets count together');
  const { match, key } = selected;
  return {
    name: `rule-${index + 1}`,
    ...(Object.keys(match).length > 0 && { match }),
    ...(key.length > 0 && { key, absent: 'Exempt' }),
    limits: [{ requests: numberOf(requests), per }],
    ...(number !== undefined && { cost: { request: { number } } }),
    ...(xRateLimitHeaders === 'DraftVersion03' && { headers: 'XRateLimit' }),
  };
}

const lost = (visit: Visit, why: string): undefined => visit.miss(`${why}: the rule is left out`) as undefined;

/** What a request costs; undefined: one. Null: there is no word for it. */
function costOf(value: unknown, visit: Visit): number | undefined | null {
  if (value === undefined) return undefined;
  const { request, response } = fieldsOf(value);
  if (response !== undefined) {
    lost(visit.at('response'), 'what a response costs is a header of it here');
    return null;
  }
  const { from, number } = request === undefined ? {} : fieldsOf(request);
  if (from === 'Metadata') {
    lost(visit.at('request'), 'costs are no metadata of other filters');
    return null;
  }
  return number === undefined ? undefined : numberOf(number);
}

interface Selection {
  readonly match: Fields;
  readonly key: readonly Fields[];
}

/** All of the selectors must hold. Undefined: one of them has no equivalent here. */
function selectionOf(selectors: readonly Fields[], visit: Visit): Selection | undefined {
  const match: Record<string, unknown> = {};
  const key: Fields[] = [];
  for (const [index, { headers = [], methods, path, queryParams = [], sourceCIDR }] of selectors.entries()) {
    const at = visit.at(`[${index}]`);
    if (!comparedOf(listOf(headers), 'headers', 'Header', match, key, at)) return undefined;
    if (!comparedOf(listOf(queryParams), 'queryParams', 'QueryParam', match, key, at)) return undefined;
    if (methods !== undefined) {
      const all = listOf(methods).map(fieldsOf);
      if (match.methods !== undefined || all.some(({ invert }) => invert === true))
        return lost(at.at('methods'), 'methods are listed once, those that count');
      match.methods = all.map((method) => textOf(method.value));
    }
    if (path !== undefined) {
      const { type = 'PathPrefix', value, invert } = fieldsOf(path);
      if (match.path !== undefined || invert === true || type === 'RegularExpression')
        return lost(at.at('path'), 'there is one path, compared by Exact or PathPrefix');
      match.path = { type: textOf(type), value: textOf(value) };
    }
    if (sourceCIDR !== undefined && !addressOf(fieldsOf(sourceCIDR), match, key, at.at('sourceCIDR'))) return undefined;
  }
  return { match, key };
}

function comparedOf(
  items: readonly unknown[],
  field: 'headers' | 'queryParams',
  keyType: string,
  match: Record<string, unknown>,
  key: Fields[],
  visit: Visit,
): boolean {
  for (const item of items.map(fieldsOf)) {
    const type = textAt(item, 'type') ?? 'Exact';
    const name = textOf(item.name);
    if (item.invert === true || type === 'RegularExpression') {
      lost(visit.at(field), `${name} is compared by ${item.invert === true ? 'its absence' : 'an expression'}`);
      return false;
    }
    if (type === 'Distinct') key.push({ type: keyType, name });
    else
      match[field] = [...((match[field] as readonly unknown[] | undefined) ?? []), { name, value: textOf(item.value) }];
  }
  return true;
}

function addressOf(
  { type = 'Exact', value, invert }: Fields,
  match: Record<string, unknown>,
  key: Fields[],
  visit: Visit,
): boolean {
  const network = textOf(value);
  if (match.clientCIDRs !== undefined) {
    lost(visit, 'networks are listed once');
    return false;
  }
  if (type === 'Distinct') key.push({ type: 'ClientIP', v6Prefix: 128 });
  if (type === 'Distinct' && /\/0$/.test(network)) return true;
  match.clientCIDRs = invert === true ? { exclude: [network] } : { include: [network] };
  return true;
}

import * as ir from '../../../ir/index.ts';
import { withoutTarget } from './bandwidth-total.ts';
import { trafficSlots, typesOf } from './traffic.ts';

const nameOf = ([filter]: readonly [string, unknown]) => filter as ir.TrafficFilter;

/** Each filter of which a policy is named, with the key by which it may be found at fault. */
export const keyedTraffic = (
  filters: ir.RouteTraffic,
  sources: ir.TrafficSources = {},
): readonly { readonly filter: ir.TrafficFilter; readonly key: string; readonly value: object }[] =>
  Object.entries(filters).flatMap((entry) => {
    const [filter, value] = [nameOf(entry), entry[1]];
    const source = sources[filter];
    return source === undefined || typeof value === 'string'
      ? []
      : { filter, key: ir.trafficKey(source, filter), value: asInPolicy(filter, value) };
  });

/** The same on all routes, so that it is found by its digest. */
const asInPolicy = (filter: ir.TrafficFilter, value: object): object =>
  filter === 'bandwidth' ? withoutTarget(value) : value;

/** Whether Envoy's words about a rejection name one of its filters, by their types. */
export const mayBeMeant = (filter: ir.TrafficFilter, value: object, message: string): boolean =>
  typesOf(filter, value).some((type) => new RegExp(`\\b${type}(ValidationError|\\b)`).test(message));

/** Without what is at fault: requests are answered 503 where it would protect, and else pass as if their policy said nothing. */
export function partWithout(part: ir.TrafficPart, keys: ReadonlySet<string>): ir.TrafficPart {
  const bad = badIn(part.filters, part.sources, keys);
  if (bad.size === 0) return part;
  const closed = [...bad].filter((filter) => protects(filter, part.filters[filter]));
  return {
    ...part,
    filters: Object.fromEntries(Object.entries(part.filters).filter((entry) => !bad.has(nameOf(entry)))),
    ...((closed.length > 0 || part.closed) && { closed: [...(part.closed ?? []), ...closed] }),
  };
}

/** The same of a rule. */
export function ruleWithout(rule: ir.RouteRule, keys: ReadonlySet<string>): ir.RouteRule {
  const { filters, trafficSources } = rule;
  const bad = badIn(filters?.traffic ?? {}, trafficSources, keys);
  if (bad.size === 0) return rule;
  const traffic = Object.entries(filters?.traffic ?? {}).flatMap((entry) => {
    const filter = nameOf(entry);
    const left = bad.has(filter) ? closedIf(protects(filter, entry[1])) : entry[1];
    return left === undefined ? [] : [[filter, left] as const];
  });
  return { ...rule, filters: { ...filters, traffic: Object.fromEntries(traffic) } };
}

const badIn = (
  filters: ir.RouteTraffic,
  sources: ir.TrafficSources | undefined,
  keys: ReadonlySet<string>,
): ReadonlySet<ir.TrafficFilter> =>
  new Set(keyedTraffic(filters, sources).flatMap(({ filter, key }) => (keys.has(key) ? filter : [])));

/** Whether no request may pass without it. */
const protects = (filter: ir.TrafficFilter, value: ir.RouteTraffic[ir.TrafficFilter]): boolean =>
  isExtension(value) ? ir.mayNotBeMissing(value) : (trafficSlots[filter].protects ?? false);

const isExtension = (value: ir.RouteTraffic[ir.TrafficFilter]): value is ir.Extension =>
  typeof value === 'object' && 'kind' in value;

const closedIf = (isClosed: boolean): 'closed' | undefined => (isClosed ? 'closed' : undefined);

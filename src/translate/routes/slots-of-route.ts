import type * as ir from '../../ir/index.ts';
import { hasSessions, listsOfFilters, type SlotList, slotsOfFilters, slotsOfSessions } from '../filters/index.ts';
import { splitRule } from './split.ts';

const none: readonly string[] = [];
const known = new WeakMap<ir.RouteRule, readonly string[]>();

/** Names of the slots that a route fills. An Envoy whose chain lacks one of them serves the route as if it did not. */
export function slotsOfRoute({ rule }: ir.Route): readonly string[] {
  if (isPlain(rule)) return none;
  const slots = known.get(rule) ?? slotsOfRule(rule);
  known.set(rule, slots);
  return slots;
}

/** Most rules fill none: nothing is remembered of them. */
const isPlain = ({ filters, action }: ir.RouteRule): boolean =>
  filters === undefined &&
  (action.kind !== 'forward' || action.backends.every((share) => !share.filters && !share.session));

function slotsOfRule(rule: ir.RouteRule): readonly string[] {
  const ofFilters = splitRule(rule).flatMap((part) => slotsOfFilters(part.rule.filters));
  const all = hasSessions(rule) ? [...ofFilters, ...slotsOfSessions] : ofFilters;
  return all.length === 0 ? none : [...new Set(all)];
}

const noLists: ReadonlyMap<string, SlotList> = new Map();

/** The lists of filters that a route names in slots, by their use: some of slotsOfRoute. They are of rules, and not of shares. */
export const listsOfRoute = ({ rule }: ir.Route): ReadonlyMap<string, SlotList> =>
  rule.filters ? listsOfFilters(rule.filters) : noLists;

import { keyOf } from '../../gateway-api/index.ts';
import type { ReferenceLookup, RouteSettings, RuleOwner, TrafficSettings } from '../../graph/engine/index.ts';
import type { RuleTraffic, Treatment } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { ownerTarget, targetsOfListener } from '../policies/index.ts';
import { affectedNote } from './affected.ts';
import { holdingsAt } from './explain.ts';
import {
  type FilterGroupName,
  filterForTarget,
  filterGroupNames,
  filterOfGroup,
  isOfAnswers,
  isPerRoute,
  type Objects,
  type Policy,
  ruleGroupNames,
  settingsOfGroup,
} from './groups/index.ts';
import { combine, type Holders, holdersAt, isOverride } from './levels.ts';
import { trafficTargets } from './targets.ts';

/** What Gateways, ListenerSets and listeners say of all requests. */
export const listenerTraffic: TrafficSettings = {
  edge: trafficTargets.edge,
  targetOf: ownerTarget,
  saysOfRecords: true,
  noteAt: (owner, listener, lookup) => affectedNote(ownerTarget(owner), [listener], lookup),
  holdingsAt,
  trafficOf({ key: gateway }, lookup) {
    const index = lookup.edges.of(trafficTargets.edge);
    const known = new Map<string, Holders>();
    const find = (target: string, section: string | undefined): Holders => {
      const name = `${target} ${section ?? ''}`;
      const found = known.get(name) ?? holdersAt(target, section, lookup);
      known.set(name, found);
      return found;
    };
    return (listener) => {
      const levels = targetsOfListener(gateway, listener).flatMap(({ target, section }) =>
        index.count(target) > 0 ? find(target, section) : [],
      );
      if (levels.length === 0) return undefined;
      const holders = combine(levels);
      const [rules, filters] = [ruleTraffic(holders, lookup.store), listenerFilters(holders, lookup.store)];
      return rules || filters ? { ...(rules && { rules }), ...(filters && { filters }) } : undefined;
    };
  },
};

/** A group that is disabled has no settings: with mode Override it keeps others out. */
function ruleTraffic(holders: Holders, objects: Objects): RuleTraffic | undefined {
  const defaults: Record<string, ir.RuleSettings> = {};
  const overrides: Record<string, ir.RuleSettings> = {};
  for (const group of ruleGroupNames) {
    const holder = holders[group];
    const settings = holder && settingsOfGroup(group, holder);
    if (holder && isOverride(holder)) overrides[group] = settings ?? {};
    else if (settings) defaults[group] = settings;
  }
  const finalFilters = filterGroupNames.filter((group) => holders[group] && isOverride(holders[group]));
  const perRoute = filtersAmong(holders, objects, isPerRoute);
  const parts = {
    ...(isEmpty(defaults) ? {} : { defaults }),
    ...(isEmpty(overrides) ? {} : { overrides }),
    ...(finalFilters.length > 0 && { finalFilters }),
    ...perRoute,
  };
  return isEmpty(parts) ? undefined : parts;
}

/** What the table of a listener does, but for routes that say otherwise. */
const listenerFilters = (holders: Holders, objects: Objects): Treatment | undefined =>
  filtersAmong(holders, objects, (group) => !isPerRoute(group));

function filtersAmong(
  holders: Holders,
  objects: Objects,
  isMeant: (group: FilterGroupName) => boolean,
): Treatment | undefined {
  const held = filterGroupNames.filter(isMeant).flatMap((group): Held[] => {
    const holder = holders[group];
    const value = holder && filterOfGroup(group, holder, objects);
    return value === undefined || value === 'disabled' ? [] : [{ group, value, source: keyOf(holder as Policy) }];
  });
  return held.length === 0 ? undefined : (together(held) as Treatment);
}

/** What holds of a group, and whose it is. */
interface Held {
  readonly group: ir.TrafficFilter;
  readonly value: NonNullable<ir.RouteTraffic[ir.TrafficFilter]>;
  readonly source: string;
}

const together = (
  held: readonly Held[],
): { readonly filters: ir.RouteTraffic; readonly sources: ir.TrafficSources } => ({
  filters: Object.fromEntries(held.map(({ group, value }) => [group, value])),
  sources: Object.fromEntries(held.map(({ group, source }) => [group, source])),
});

/** What routes and rules say. */
export const ruleTrafficSettings: RouteSettings = {
  edge: trafficTargets.edge,
  settingOf(owner, rule, lookup) {
    const above = owner.traffic?.rules;
    const isTarget = lookup.edges.of(trafficTargets.edge).count(owner.route) > 0;
    if (!above && !isTarget) return undefined;
    const holders = isTarget ? holdersOfRule(owner, lookup) : {};
    const names = rule.action.kind === 'forward' ? ruleGroupNames : ruleGroupNames.filter(isOfAnswers);
    const groups = names.map((group) => groupAt(group, above, holders));
    const settings: ir.RuleSettings = Object.assign({}, ...groups.map((found) => fieldsOf(found, rule)));
    const traffic = routeFilters(above, holders, owner, lookup);
    if (isEmpty(settings) && !traffic) return undefined;
    const fields = traffic && {
      filters: { ...rule.filters, traffic: traffic.filters },
      trafficSources: traffic.sources,
    };
    return { fields: { ...settings, ...fields } };
  },
  noteAt: (route, rules, lookup) => affectedNote(route, [undefined, ...rules], lookup),
};

/** What a route has in place of its table's. */
function routeFilters(above: RuleTraffic | undefined, holders: Holders, owner: RuleOwner, lookup: ReferenceLookup) {
  const held = filterGroupNames.flatMap((group): Held[] => {
    const own = above?.finalFilters?.includes(group) ? undefined : holders[group];
    const value = own
      ? filterForTarget(group, own, lookup.store, targetOf(group, own, owner, lookup))
      : above?.filters?.[group];
    const source = own ? keyOf(own) : above?.sources?.[group];
    const isNothing = value === undefined || (value === 'disabled' && isPerRoute(group));
    return isNothing || source === undefined ? [] : [{ group, value, source }];
  });
  return held.length === 0 ? undefined : together(held);
}

const holdersOfRule = ({ route, rule }: RuleOwner, lookup: ReferenceLookup): Holders =>
  combine([holdersAt(route, undefined, lookup), ...(rule === undefined ? [] : [holdersAt(route, rule, lookup)])]);

/** What of the route the policy is for: the rule alone, or all of it. */
const targetOf = (
  group: FilterGroupName,
  policy: Policy,
  { route, rule }: RuleOwner,
  lookup: ReferenceLookup,
): string => (rule !== undefined && holdersAt(route, rule, lookup)[group] === policy ? `${route} ${rule}` : route);

interface GroupAtRule {
  readonly group: string;
  readonly settings: ir.RuleSettings;
  /** Whatever the rule itself says. */
  readonly isFinal: boolean;
}

function groupAt(
  group: (typeof ruleGroupNames)[number],
  above: RuleTraffic | undefined,
  holders: Holders,
): GroupAtRule {
  const override = above?.overrides?.[group];
  if (override) return { group, settings: override, isFinal: true };
  const holder = holders[group];
  if (!holder) return { group, settings: above?.defaults?.[group] ?? {}, isFinal: false };
  return { group, settings: settingsOfGroup(group, holder) ?? {}, isFinal: isOverride(holder) };
}

/** What a rule says by itself counts as the lowest level. Its `retry` is all that it says of retries. */
function fieldsOf({ group, settings, isFinal }: GroupAtRule, rule: ir.RouteRule): ir.RuleSettings {
  if (isFinal) return settings;
  if (group === 'retry' && rule.retry) return {};
  const own = Object.entries(settings).filter(([field]) => rule[field as keyof ir.RuleSettings] === undefined);
  return Object.fromEntries(own);
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

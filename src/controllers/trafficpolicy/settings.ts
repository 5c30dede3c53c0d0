import type { ReferenceLookup, RouteSettings, RuleOwner, TrafficSettings } from '../../graph/engine/index.ts';
import type { RuleTraffic } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { ownerTarget, targetsOfListener } from '../policies/index.ts';
import { affectedNote } from './affected.ts';
import { holdingsAt } from './explain.ts';
import { type GroupName, groupNames, settingsOfGroup } from './groups/index.ts';
import { combine, type Holders, holdersAt, isOverride } from './levels.ts';
import { trafficTargets } from './targets.ts';

/** What Gateways, ListenerSets and listeners say of all requests. */
export const listenerTraffic: TrafficSettings = {
  edge: trafficTargets.edge,
  targetOf: ownerTarget,
  noteAt: (owner, listener, lookup) => affectedNote(ownerTarget(owner), [listener], lookup),
  holdingsAt,
  trafficOf(gateway, lookup) {
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
      const rules = levels.length > 0 ? ruleTraffic(combine(levels)) : undefined;
      return rules && { rules };
    };
  },
};

/** A group that is off has no settings: with mode Override it keeps others out. */
function ruleTraffic(holders: Holders): RuleTraffic | undefined {
  const defaults: Record<string, ir.RuleSettings> = {};
  const overrides: Record<string, ir.RuleSettings> = {};
  for (const group of groupNames) {
    const holder = holders[group];
    const settings = holder && settingsOfGroup(group, holder);
    if (holder && isOverride(holder)) overrides[group] = settings ?? {};
    else if (settings) defaults[group] = settings;
  }
  const parts = { ...(isEmpty(defaults) ? {} : { defaults }), ...(isEmpty(overrides) ? {} : { overrides }) };
  return isEmpty(parts) ? undefined : parts;
}

/** What routes and rules say. */
export const ruleTrafficSettings: RouteSettings = {
  edge: trafficTargets.edge,
  settingOf(owner, rule, lookup) {
    const above = owner.traffic?.rules;
    const isTarget = lookup.edges.of(trafficTargets.edge).count(owner.route) > 0;
    if ((!above && !isTarget) || rule.action.kind !== 'forward') return undefined;
    const holders = isTarget ? holdersOfRule(owner, lookup) : {};
    const groups = groupNames.map((group) => groupAt(group, above, holders));
    const fields: ir.RuleSettings = Object.assign({}, ...groups.map((found) => fieldsOf(found, rule)));
    return isEmpty(fields) ? undefined : { fields };
  },
  noteAt: (route, rules, lookup) => affectedNote(route, [undefined, ...rules], lookup),
};

const holdersOfRule = ({ route, rule }: RuleOwner, lookup: ReferenceLookup): Holders =>
  combine([holdersAt(route, undefined, lookup), ...(rule === undefined ? [] : [holdersAt(route, rule, lookup)])]);

interface GroupAtRule {
  readonly group: GroupName;
  readonly settings: ir.RuleSettings;
  /** Whatever the rule itself says. */
  readonly isFinal: boolean;
}

function groupAt(group: GroupName, above: RuleTraffic | undefined, holders: Holders): GroupAtRule {
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

import type { GatewaySettings, ReferenceLookup, RouteSettings, RuleOwner } from '../../graph/engine/index.ts';
import { withCors } from '../../graph/filters/index.ts';
import { closedOnRawPaths } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { type ListenerTarget, ownerTarget, targetsOfListener } from '../policies/index.ts';
import { affectedNote } from './affected.ts';
import {
  corsAt,
  type Demands,
  demandsOf,
  overridableOf,
  overridesOf,
  sinceOf,
  sourceOf,
  switchedOffOf,
} from './demands.ts';
import { isOfConnections } from './edges.ts';
import { accessTargets } from './targets.ts';

/** One level at a listener. */
interface Found {
  readonly level: ir.TableLevel;
  readonly demands: Demands;
}

/** What Gateways, ListenerSets and listeners demand of all requests. */
export const guards: GatewaySettings = {
  edge: accessTargets.edge,
  targetOf: ownerTarget,
  corsOf(gateway, lookup) {
    const index = lookup.edges.of(accessTargets.edge);
    return (listener) => {
      for (const { target, section } of targetsOfListener(gateway, listener).toReversed()) {
        const cors = index.count(target) > 0 ? corsAt(target, section, lookup) : undefined;
        if (cors) return cors;
      }
      return undefined;
    };
  },
  noteAt: (owner, listener, lookup) => affectedNote(ownerTarget(owner), [listener], lookup),
  guardsOf({ key, clientCertificate }, lookup) {
    const index = lookup.edges.of(accessTargets.edge);
    const known = new Map<string, Found>();
    const find = ({ level, target, section }: ListenerTarget): Found => {
      const place = { target, section, level: 'gateway' as const, clientCertificate };
      const name = `${target} ${section ?? ''}`;
      const found = known.get(name) ?? { level, demands: demandsOf(place, lookup) };
      known.set(name, found);
      return found;
    };
    const made = new WeakMap<Found, ir.ListenerAccess>();
    const accessOf = (found: Found) => {
      const access = made.get(found) ?? listenerAccess(found, found.demands.access ?? {});
      made.set(found, access);
      return access;
    };
    return (listener) => {
      const levels = targetsOfListener(key, listener).flatMap((target) =>
        index.count(target.target) > 0 ? find(target) : [],
      );
      const demanded = levels.flatMap((found, at) => {
        const off = switchedOff(found.demands, levels.slice(at + 1));
        if (off.length === 0) return found.demands.access ? accessOf(found) : [];
        const access = withoutParts(found.demands.access ?? {}, off);
        return isEmpty(access) ? [] : listenerAccess(found, access);
      });
      if (demanded.length === 0) return undefined;
      return {
        levels: demanded,
        since: Object.fromEntries(levels.map(({ level, demands }) => [level, sinceOf(demands.policies)])),
        backends: levels.flatMap(({ demands }) => demands.backends),
      };
    };
  },
};

const listenerAccess = ({ level, demands: { policies } }: Found, access: ir.Access): ir.ListenerAccess => ({
  ...access,
  level,
  source: sourceOf(policies),
  overridable: overridableOf(policies),
});

/** Parts that the lower levels switch off and that the level lets them. */
function switchedOff({ policies }: Demands, lower: readonly Found[]): readonly ir.AccessPart[] {
  const overrides = lower.flatMap(({ demands }) => overridesOf(demands.policies));
  return overrides.length === 0 ? [] : switchedOffOf(policies, overrides);
}

function withoutParts({ closed = [], ...access }: ir.Access, parts: readonly ir.AccessPart[]): ir.Access {
  const left = closed.filter((part) => !parts.includes(part));
  const kept = Object.entries(access).filter(([part]) => !(parts as readonly string[]).includes(part));
  return { ...(left.length > 0 && { closed: left }), ...Object.fromEntries(kept) };
}

const isEmpty = (access: object): boolean => Object.keys(access).length === 0;

/** What routes and rules add to that. */
export const routeAccess: RouteSettings = {
  edge: accessTargets.edge,
  settingOf({ route, rule, clientCertificate, hasRawPaths }, { filters }, lookup) {
    if (lookup.edges.of(accessTargets.edge).count(route) === 0) return undefined;
    const found = accessOfRoute({ route, rule, clientCertificate }, lookup);
    const access = found && hasRawPaths ? onRawPaths(found) : found;
    const cors = (rule === undefined ? undefined : corsAt(route, rule, lookup)) ?? corsAt(route, undefined, lookup);
    if (!access && !cors) return undefined;
    const guarded = access ? withAccess(filters, access) : filters;
    return { fields: { filters: cors ? withCors(guarded, cors) : guarded } };
  },
  noteAt: (route, rules, lookup) => affectedNote(route, [undefined, ...rules], lookup),
  connectionsOf(owner, lookup) {
    if (lookup.edges.of(accessTargets.edge).count(owner.route) === 0) return undefined;
    const { route, rule, overrides } = accessOfRoute(owner, lookup) ?? {};
    return {
      ...(route && { route: ofConnections(route) }),
      ...(rule && { rule: ofConnections(rule) }),
      ...(overrides && { overrides }),
    };
  },
};

function accessOfRoute(owner: RuleOwner, lookup: ReferenceLookup): ir.RouteAccess | undefined {
  const { route, rule, clientCertificate } = owner;
  const at = (section: string | undefined) =>
    demandsOf({ target: route, section, level: 'route', clientCertificate }, lookup);
  const [whole, own] = [at(undefined), rule === undefined ? undefined : at(rule)];
  const overrides = overridesOf([...whole.policies, ...(own?.policies ?? [])]);
  const access: ir.RouteAccess = {
    ...(whole.access && { route: whole.access }),
    ...(own?.access && { rule: own.access }),
    ...(overrides.length > 0 && { overrides }),
  };
  return isEmpty(access) ? undefined : access;
}

const onRawPaths = ({ route, rule, ...more }: ir.RouteAccess): ir.RouteAccess => ({
  ...(route && { route: closedOnRawPaths(route) }),
  ...(rule && { rule: closedOnRawPaths(rule) }),
  ...more,
});

/** What else is demanded cannot be shown: no client comes in. */
function ofConnections(access: ir.Access): ir.Access {
  const others = ir.accessParts.filter((part) => !isOfConnections(part) && access[part]);
  const isClosed = others.length > 0 || access.closed || access.clientCertificates?.names?.some(isSubject);
  return isClosed ? { closed: ['clientIPs'] } : access;
}

const isSubject = ({ kind }: ir.CertificateName): boolean => kind === 'subject';

/** Fields in the order of the interface, since digests are made of them. */
function withAccess(filters: ir.RouteFilters = {}, access: ir.RouteAccess): ir.RouteFilters {
  const { externalAuth, ...others } = filters;
  return { ...others, access, ...(externalAuth && { externalAuth }) };
}

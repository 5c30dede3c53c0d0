import type { ObjectByKind } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { listenerAmong, PortClaims, udpPortsOf } from '../gateways/index.ts';
import {
  allListeners,
  type Binder,
  type ConditionFault,
  closedOnRawPaths,
  compareAge,
  describeOwner,
  isHttp,
  isSameObserved,
  type LoneGateway,
  leavesPathsRaw,
  type Observed,
  observedOn,
  overlapsOf,
  type PortHosts,
  portsOf,
  type ResolvedFleet,
  type ResolvedGateway,
  type ResolvedListener,
  type SettingsOf,
  type TableShape,
  terminatesTls,
} from '../model/index.ts';
import { crowdedOn, withoutCrowded } from './crowded.ts';
import { accessLogOf, geoLookupOf, irListenersOf } from './fleet-listeners.ts';
import { streamsOf, tablesOf } from './fleet-tables.ts';
import { type FullTables, fullListenersOf, fullTablesOf } from './full-tables.ts';
import { type GuardOf, guarded, guardedStream } from './guarded.ts';
import { type LimitsOf, limited } from './limited.ts';
import { type PatchOf, patchOn, unpatchedOn } from './patched.ts';
import { type TreatmentOf, treated } from './treated.ts';

export interface FleetParts {
  readonly key: string;
  readonly gatewayClass: ObjectByKind['GatewayClass'] | undefined;
  /** At least one. */
  readonly gateways: readonly LoneGateway[];
  readonly before: ResolvedFleet | undefined;
  readonly bind: Binder;
  /** Why a listener cannot have its port beside other fleets of the machine. */
  readonly portFaultOf: (listener: ResolvedListener) => ConditionFault | undefined;
}

/**
 * Combines the Gateways of one set of proxies. Hostnames separate listeners of one port; where two have the same, the older
 * Gateway's listener serves. Gateways for which nothing changed are the same objects as in `before`.
 */
export function resolveFleet({ key, gatewayClass, gateways, before, bind, portFaultOf }: FleetParts): ResolvedFleet {
  const lone = [...gateways].sort((a, b) => compareAge(a.object, b.object));
  const policies = new Map(lone.map(({ key: gateway, policies: own }) => [gateway, own] as const));
  const settingsOf: SettingsOf = (listener) => policies.get(listener.gateway)?.settingsOf(listener);
  const guards = new Map(lone.map((gateway) => [gateway.key, gateway.guards] as const));
  const loneGuardOf: GuardOf = ({ gateway, id }) => guards.get(gateway)?.get(id);
  const traffic = new Map(lone.map((gateway) => [gateway.key, gateway.traffic] as const));
  const patchOf: PatchOf = ({ gateway, id }) => traffic.get(gateway)?.get(id)?.patch;
  const listenersOf = amongOthers(lone, { portFaultOf, settingsOf, patchOf, guardOf: loneGuardOf });
  const all = lone.flatMap((gateway) => allListeners(gateway).map(listenersOf));
  const serving = all.filter(({ serves }) => serves);
  const ports = portsOf(serving);
  const [oldest] = lone as [LoneGateway, ...LoneGateway[]];
  const { spec } = oldest.parameters;
  const accessLog = accessLogOf(spec);
  const observed = observedOn(ports, settingsOf, accessLog);
  const guardOf: GuardOf = (listener) => {
    const { rawPaths, crowded } = listener;
    const guard = loneGuardOf(listener);
    const known = guard && crowded ? withoutCrowded(guard, crowded) : guard;
    return known && rawPaths !== undefined ? { ...known, levels: known.levels.map(closedOnRawPaths) } : known;
  };
  const limits = new Map(lone.map((gateway) => [gateway.key, gateway.limits] as const));
  const limitsOf: LimitsOf = ({ gateway, id }) => limits.get(gateway)?.get(id) ?? [];
  const treatmentOf: TreatmentOf = ({ gateway, id }) => traffic.get(gateway)?.get(id)?.filters;
  const [guard, limit, treat] = [guarded(guardOf), limited(limitsOf), treated(treatmentOf)];
  const geo = geoLookupOf(spec);
  const located = (shape: TableShape): TableShape => (geo ? { ...shape, locates: true } : shape);
  const contentOf = (shape: TableShape) => located(treat(limit(guard(shape))));
  const deps = {
    bind: (port: number) => bind(oldest.object, port),
    accessLog,
    isTrafficOff: spec?.traffic === 'Off',
    showsClients: spec?.failures?.clientAddress === 'Show',
    geo,
    settingsOf,
    udpPorts: udpPortsOf(ports),
  };
  const tables = new Map(ports.flatMap(tablesOf).map((shape) => [shape.id, contentOf(shape)]));
  const fullTables = fullTablesOf(tables.values());
  const members = lone.map((gateway) =>
    memberOf(gateway, {
      listenersOf,
      ports,
      settingsOf,
      observed,
      fullTables,
      before: before?.members.get(gateway.key),
    }),
  );
  const secrets = [
    ...serving.flatMap((listener) => listener.secrets),
    ...lone.flatMap(({ clientCertificate }) =>
      clientCertificate && 'secret' in clientCertificate ? [clientCertificate.secret] : [],
    ),
  ];
  return {
    key,
    ...(gatewayClass && { gatewayClass }),
    members: new Map(members.map((member) => [member.key, member])),
    parameters: { ...(spec && { spec }) },
    ports,
    irListeners: new Map(
      ports.flatMap((owners) => irListenersOf([...owners.values()], { ...deps, patch: patchOn(owners, patchOf) })),
    ),
    tables,
    streams: new Map(
      ports
        .flatMap((owners) => streamsOf(owners, settingsOf))
        .map((shape) => [shape.id, guardedStream(shape, guardOf)]),
    ),
    secrets: new Map(secrets.map((secret) => [secret.key, secret] as const)),
  };
}

type Among = (listener: ResolvedListener) => ResolvedListener;

interface Others extends Pick<FleetParts, 'portFaultOf'> {
  readonly settingsOf: SettingsOf;
  readonly guardOf: GuardOf;
  readonly patchOf: PatchOf;
}

/** What happens to a listener beside all others of the proxies. `gateways`: the oldest first. */
function amongOthers(gateways: readonly LoneGateway[], { portFaultOf, settingsOf, guardOf, patchOf }: Others): Among {
  const conflicts = conflictsOf(gateways);
  const serving = gateways
    .flatMap(allListeners)
    .filter((listener) => listener.serves && !conflicts.has(listener) && !portFaultOf(listener));
  const ports = portsOf(serving.filter(({ spec }) => terminatesTls(spec)));
  const overlaps = new Map(ports.flatMap((owners) => [...overlapsOf(owners)]));
  const raw = new Map(portsOf(serving).flatMap((owners) => rawPathsOn([...owners.values()], settingsOf)));
  const crowded = new Map(portsOf(serving).flatMap((owners) => [...crowdedOn([...owners.values()], guardOf)]));
  const unpatched = new Set(portsOf(serving).flatMap((owners) => unpatchedOn(owners, patchOf)));
  return (listener) => {
    const others = overlaps.get(listener.place)?.map(({ place, hostname }) => `${place} (${hostname})`);
    const [conflict, portFault] = [conflicts.get(listener), listener.serves ? portFaultOf(listener) : undefined];
    return listenerAmong(listener, {
      conflict,
      portFault,
      overlaps: others,
      rawPaths: raw.get(listener.place),
      crowded: crowded.get(listener.place),
      unpatched: unpatched.has(listener.place),
    });
  };
}

/** By place, of the listeners of one port. Those of protocol HTTP are treated as the first of them is. */
function rawPathsOn(
  members: readonly ResolvedListener[],
  settingsOf: SettingsOf,
): (readonly [place: string, policy: string])[] {
  const [first] = members;
  return members.filter(isHttp).flatMap((member) => {
    const settings = settingsOf(member.protocol === 'HTTP' && first ? first : member);
    return settings && leavesPathsRaw(settings.client?.path) ? [[member.place, settings.policy] as const] : [];
  });
}

/** Listeners that an older Gateway's listener displaces. A listener that does not serve displaces none. */
function conflictsOf(gateways: readonly LoneGateway[]): Map<ResolvedListener, ConditionFault> {
  const conflicts = new Map<ResolvedListener, ConditionFault>();
  if (gateways.length < 2) return conflicts;
  const claims = new PortClaims();
  for (const gateway of gateways) {
    const serving = allListeners(gateway).filter(({ serves }) => serves);
    for (const listener of serving) {
      const fault = claims.conflict(listener.spec);
      if (fault) conflicts.set(listener, fault);
    }
    for (const { spec, name, owner } of serving.filter((listener) => !conflicts.has(listener)))
      claims.claim(spec, `listener ${name} of ${describeOwner(owner)}, which is older or belongs to an older Gateway,`);
  }
  return conflicts;
}

interface MemberCircumstances {
  readonly listenersOf: Among;
  readonly ports: readonly PortHosts[];
  readonly settingsOf: SettingsOf;
  /** Of all listeners of the proxies. */
  readonly observed: ReadonlyMap<string, Observed>;
  readonly fullTables: FullTables;
  readonly before: ResolvedGateway | undefined;
}

const sources = new WeakMap<ResolvedGateway, LoneGateway>();

function memberOf(
  gateway: LoneGateway,
  { listenersOf, ports, settingsOf, observed, fullTables, before }: MemberCircumstances,
): ResolvedGateway {
  const listeners = gateway.listeners.map(listenersOf);
  const sets = [...gateway.sets.values()].map((set) => ({ ...set, listeners: set.listeners.map(listenersOf) }));
  const all = [...listeners, ...sets.flatMap((set) => set.listeners)];
  const policies = gateway.policies.outcomesOn(ports, settingsOf);
  const full = fullListenersOf(all, fullTables);
  const own = new Map(all.flatMap(({ place }) => entryOf(observed, place)));
  if (before && sources.get(before) === gateway && isAsBefore(before, all, { policies, observed: own, full }))
    return before;
  const serving = all.filter(({ serves }) => serves);
  const member: ResolvedGateway = {
    ...gateway,
    listeners,
    sets: new Map(sets.map((set) => [set.key, set])),
    policies,
    observed: own,
    full,
    backends: [
      ...new Set([
        ...serving.flatMap(({ preRoutingAuth = [] }) => preRoutingAuth.flatMap(({ backend }) => backend ?? [])),
        ...serving.flatMap((listener) => settingsOf(listener)?.backends ?? []),
        ...serving.flatMap(({ id }) => gateway.guards.get(id)?.backends ?? []),
        ...serving.flatMap(({ id }) =>
          (gateway.limits.get(id) ?? []).flatMap(({ buckets }) => ir.limitBackends(buckets)),
        ),
        ...serving.flatMap(({ id }) => ir.trafficBackends(gateway.traffic.get(id)?.filters?.filters)),
      ]),
    ],
  };
  sources.set(member, gateway);
  return member;
}

const entryOf = (observed: ReadonlyMap<string, Observed>, place: string): (readonly [string, Observed])[] => {
  const found = observed.get(place);
  return found ? [[place, found]] : [];
};

function isAsBefore(
  before: ResolvedGateway,
  listeners: readonly ResolvedListener[],
  { policies, observed, full }: Pick<ResolvedGateway, 'policies' | 'observed' | 'full'>,
): boolean {
  const was = allListeners(before);
  return (
    listeners.length === was.length &&
    listeners.every((listener, index) => listener === was[index]) &&
    JSON.stringify([[...policies], full]) === JSON.stringify([[...before.policies], before.full]) &&
    isSameObserved(before, { observed })
  );
}

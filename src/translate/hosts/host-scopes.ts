import type * as ir from '../../ir/index.ts';
import { type HostNeeds, inBase, type SlotsOfTable, TableSlots } from '../chains/index.ts';
import { type EnvoyResource, exactScopeName, type LeftOut, partScopeName, restOfHost } from '../resource/index.ts';
import { slotsOfRoute } from '../routes/index.ts';
import { EncodableHosts, type HostChange } from './encodable-hosts.ts';
import { encodeHostSettings } from './encode-scope.ts';
import { type HostPlan, listsOf, planOf } from './host-plan.ts';
import type { Whole } from './provenance.ts';
import { routesChange } from './routes-change.ts';
import { type HostPart, translateExactScope, translatePart, translatePartitionedHost, translateRest } from './scope.ts';

type NamedScope = readonly [name: string, scope: EnvoyResource | undefined];

/** What the change of an exact host comes to. */
interface ChangedHost {
  /** Those that may be others; without a resource, those that are gone. Made while they are read. */
  readonly scopes: Iterable<NamedScope>;
  /** Its table uses other slots of the filter chains than before. */
  readonly usesOtherSlots: boolean;
  /** Routes that are left out, because they cannot be encoded. */
  readonly leftOut?: LeftOut;
}

/** A host with many routes. */
interface Large {
  readonly virtualHost: ir.VirtualHost;
  readonly plan: HostPlan;
  /** What all of its parts hold, those of former changes too: each of them with the host as it was would be too much to keep. */
  readonly whole: Whole;
}

/** SRDS: the scopes of exact hosts. A host with many routes may have several (host-cut.ts). */
export class HostScopes {
  /** As they were last: by gateway, then by table and host. */
  readonly #known = new Map<string, Map<string, Large>>();
  readonly #slots = new TableSlots();
  readonly #encodable = new EncodableHosts();

  /** An exact host changed. */
  changed(desired: HostChange): ChangedHost {
    const { change, result, leftOut } = this.#encodable.apply(desired, (some) => this.#planOf(some));
    const { now, former, before, after } = result;
    this.#remember(change, now);
    return {
      scopes: scopesOf(change, now, former),
      usesOtherSlots: this.#slots.changed(change, before, after),
      ...(leftOut && { leftOut }),
    };
  }

  #planOf(change: HostChange) {
    const former = this.#former(change);
    const now = change.after && large(change.after, former);
    return { former, now, before: needsOfExact(change.before, former), after: needsOfExact(change.after, now) };
  }

  /** A host of the fallback scope changed. */
  fallbackChanged(desired: HostChange): Omit<ChangedHost, 'scopes'> {
    const { change, result, leftOut } = this.#encodable.apply(desired, needsOfFallback);
    const usesOtherSlots = this.#slots.changed(change, result.before, result.after);
    return { usesOtherSlots, ...(leftOut && { leftOut }) };
  }

  /** The host as it is encoded: without routes that cannot be. */
  encodable(virtualHost: ir.VirtualHost): ir.VirtualHost {
    return this.#encodable.of(virtualHost);
  }

  /** The slots that some host of the table uses. */
  slotsOf(gateway: string, table: string): SlotsOfTable {
    return this.#slots.of(gateway, table);
  }

  /** The gateway is gone. */
  forget(gateway: string): void {
    this.#slots.forget(gateway);
    this.#known.delete(gateway);
  }

  #former({ gateway, table, host, before }: HostChange): Large | undefined {
    const known = this.#known.get(gateway)?.get(keyOf(table, host));
    return known?.virtualHost === before ? known : before && large(before);
  }

  #remember({ gateway, table, host }: HostChange, now: Large | undefined): void {
    const hosts = this.#known.get(gateway) ?? new Map<string, Large>();
    if (now) this.#known.set(gateway, hosts.set(keyOf(table, host), now));
    else hosts.delete(keyOf(table, host));
  }
}

function needsOfHost(virtualHost: ir.VirtualHost | undefined, large?: Large): HostNeeds | undefined {
  if (!virtualHost) return undefined;
  // What it is to be encoded with has to be known before anything is counted.
  if (virtualHost.preRoutingAuth) encodeHostSettings(virtualHost);
  const slots = large ? [...large.plan.slots.keys()] : [...new Set(virtualHost.routes.flatMap(slotsOfRoute))];
  const lists = large ? large.plan.lists : listsOf(virtualHost.routes);
  return { slots, lists, authorizesFirst: virtualHost.preRoutingAuth !== undefined, inBase: false };
}

const needsOfFallback = ({ before, after }: HostChange) => ({
  before: needsOfHost(before),
  after: needsOfHost(after),
});

/** Routes of a host that is cut up are found late. */
function needsOfExact(virtualHost: ir.VirtualHost | undefined, large?: Large): HostNeeds | undefined {
  const needs = needsOfHost(virtualHost, large);
  return needs && virtualHost && !large?.plan.cut ? { ...needs, inBase: inBase(virtualHost, needs.slots) } : needs;
}

const keyOf = (table: string, host: string): string => `${table} ${host}`;

function large(virtualHost: ir.VirtualHost, former?: Large): Large | undefined {
  const plan = planOf(virtualHost, former?.plan);
  if (!plan) return undefined;
  const whole = former?.whole ?? { virtualHost };
  whole.virtualHost = virtualHost;
  return { virtualHost, plan, whole };
}

function* scopesOf(
  { table, host, after }: HostChange,
  now: Large | undefined,
  former: Large | undefined,
): Generator<NamedScope> {
  if (now?.plan.cut) yield* partsOf(table, now, former);
  else {
    yield [exactScopeName(table, host), after && translateExactScope(table, after)];
    for (const beginning of beginningsOf(former)) yield [partScopeName(table, host, beginning), undefined];
  }
}

/** Those of the parts that may be others, and what leads to them. */
function* partsOf(table: string, now: Large, former: Large | undefined): Generator<NamedScope> {
  const { virtualHost, plan, whole } = now;
  const { host } = virtualHost;
  const { cut } = plan;
  if (!cut) return;
  const part = (routes: readonly ir.Route[]): HostPart => ({ virtualHost: { ...virtualHost, routes }, whole });
  for (const beginning of touched(now, former)) {
    const routes = cut.parts.get(beginning);
    yield [partScopeName(table, host, beginning), routes && translatePart(table, beginning, part(routes))];
  }
  yield [partScopeName(table, host, restOfHost), translateRest(table, part(cut.rest))];
  yield [exactScopeName(table, host), translatePartitionedHost(table, virtualHost, cut.segments)];
}

/** Beginnings of the parts that may be others. */
function touched(now: Large, former: Large | undefined): Iterable<string> {
  const { cut, routes } = now.plan;
  // Each part has the servers that authorize requests.
  const isLike = former?.plan.cut && cut?.isLike(former.plan.cut);
  const hasSameAuth = former?.virtualHost.preRoutingAuth === now.virtualHost.preRoutingAuth;
  const change = isLike && hasSameAuth && routesChange(former.plan.routes, routes);
  if (change && cut) return cut.touchedBy(change);
  return new Set([...beginningsOf(former), ...(cut?.parts.keys() ?? [])]).difference(new Set([restOfHost]));
}

const beginningsOf = (host: Large | undefined): string[] => {
  const cut = host?.plan.cut;
  return cut ? [...cut.parts.keys(), restOfHost] : [];
};

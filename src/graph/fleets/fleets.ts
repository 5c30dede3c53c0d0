import * as ir from '../../ir/index.ts';
import { withoutFailing } from '../../std/index.ts';
import type { UsedBackends } from '../backends/index.ts';
import {
  addAll,
  type CommittedEntries,
  type CommittedView,
  type Dirty,
  type Edges,
  type Mishaps,
  type Store,
} from '../engine/index.ts';
import { type Attachments, type Gateways, withoutListeners } from '../gateways/index.ts';
import type { GatewayHosts, GatewayStreams, SnapshotState } from '../hosts/index.ts';
import type {
  Binder,
  CountedUse,
  LoneGateway,
  ResolvedFleet,
  ResolvedGateway,
  ResolvedListener,
} from '../model/index.ts';
import { type Quarantine, type RejectedOfFleet, rejectedOfFleet } from '../quarantine/index.ts';
import { affectedRoutes } from './affected-routes.ts';
import type { DrainingFleets } from './draining-fleets.ts';
import { resolveFleet } from './fleet.ts';
import type { FleetProgress } from './fleet-progress.ts';
import { MachinePorts } from './machine-ports.ts';

export interface FleetsDeps {
  readonly store: Store;
  readonly edges: Edges;
  readonly attachments: Attachments;
  readonly dirty: Dirty;
  readonly mishaps: Mishaps;
  readonly quarantine: Quarantine;
  readonly state: SnapshotState;
  readonly gateways: Gateways;
  readonly backends: UsedBackends;
  readonly hosts: GatewayHosts;
  readonly streams: GatewayStreams;
  /** Fleets that were left: they are served as they are until those who left them are served elsewhere. */
  readonly left: DrainingFleets;
  readonly progress: FleetProgress;
  readonly former: CommittedView;
  readonly bind: Binder;
  /** GraphOptions.onOneMachine */
  readonly onOneMachine: boolean;
  /** GraphOptions.oldFleetGraceMs */
  readonly oldFleetGraceMs: number | undefined;
}

/** What of a fleet was resolved again; without `fleet` its proxies are to go. */
export interface FleetChange {
  readonly key: string;
  readonly fleet: ResolvedFleet | undefined;
}

/** The proxies of our Gateways, those too that were left. By ResolvedFleet.key. */
export class Fleets {
  readonly #deps: FleetsDeps;
  readonly #fleets = new Map<string, ResolvedFleet>();
  readonly #rejected = new Map<string, RejectedOfFleet>();
  /** Fleets that were resolved and are not reported yet. */
  readonly #unreported = new Set<string>();
  readonly #committed: CommittedEntries<ResolvedFleet>;
  /** Undefined where each fleet has machines, or addresses, of its own. */
  readonly #ports: MachinePorts | undefined;

  constructor(deps: FleetsDeps) {
    this.#deps = deps;
    this.#ports = deps.onOneMachine ? new MachinePorts(deps.bind) : undefined;
    this.#committed = deps.former.entries();
  }

  find(key: string): ResolvedFleet | undefined {
    return this.#fleets.get(key);
  }

  /** As of the last finished build, for readers outside the build. */
  findCommitted(key: string): ResolvedFleet | undefined {
    return this.#committed.find(key, this.#fleets);
  }

  /** What all proxies of the fleet reject. */
  rejected(key: string): RejectedOfFleet | undefined {
    return this.#rejected.get(key);
  }

  /** Notes the ports that a fleet wants, before any fleet is resolved: others that want them are resolved again. */
  claimPorts(key: string): void {
    const { gateways, dirty } = this.#deps;
    if (this.#ports) addAll(dirty.fleets, this.#ports.claim(key, gateways.loneOf(key)));
  }

  resolve(key: string): void {
    const { store, gateways, edges, attachments, dirty, bind } = this.#deps;
    const members = gateways.loneOf(key);
    const before = this.#fleets.get(key);
    const name = ir.sharedFleetOf(key)?.gatewayClass;
    const gatewayClass = name === undefined ? undefined : store.find('GatewayClass', name);
    const portFaultOf = (listener: ResolvedListener) => this.#ports?.faultOf(key, listener);
    const parts = { key, gatewayClass, before, bind, portFaultOf };
    const combine = (gateways: readonly LoneGateway[]) => resolveFleet({ ...parts, gateways });
    const { mishaps } = this.#deps;
    const after =
      members.length > 0 ? mishaps.during(`fleet ${key}`, () => this.#withoutBroken(members, combine)) : undefined;
    if (after) this.#put(after);
    else if (before) this.#drop(before);
    for (const member of keysOfBoth(before?.members ?? new Map(), after?.members ?? new Map()))
      this.#resolveMember(member, before?.members.get(member), after?.members.get(member));
    addAll(dirty.routes, affectedRoutes({ before, after }, edges, attachments));
  }

  /** A Gateway with which the others of its proxies cannot be resolved because of an error of ours is there without its listeners. */
  #withoutBroken(
    members: readonly LoneGateway[],
    combine: (gateways: readonly LoneGateway[]) => ResolvedFleet,
  ): ResolvedFleet {
    const { result, failing } = withoutFailing(members, (whole) =>
      combine(members.map((member) => (whole.includes(member) ? member : withoutListeners(member)))),
    );
    for (const [{ key }, error] of failing) this.#deps.mishaps.note('Gateway', key, error);
    return result;
  }

  /** Counts what the Gateway uses, and, as long as its proxies are not left, what they do. */
  use({ gateway, fleet, backend, by }: CountedUse): void {
    const { backends, state } = this.#deps;
    backends.count(backend, gateway, by);
    if (this.#fleets.has(fleet)) state.use(fleet, backend, by);
  }

  /** Clients can go where the Gateway is now. Proxies on nodes take the ports of others. */
  isServed(gateway: ResolvedGateway): boolean {
    if (this.#fleets.get(gateway.fleet)?.parameters.spec?.hostNetwork) return true;
    return this.#deps.progress.isServing(gateway);
  }

  /**
   * Ends fleets that are no longer needed: each Gateway that left is gone, or its new fleet has served it for long enough. Returns when to
   * check again even if nothing changes.
   */
  endLeft(now: Date): Date | undefined {
    const { left, gateways, dirty, state, backends, oldFleetGraceMs } = this.#deps;
    const due: number[] = [];
    for (const [key, leavers] of left.list()) {
      const resolved = leavers.flatMap((leaver) => gateways.find(leaver) ?? []);
      const areServed = resolved.every((gateway) => this.isServed(gateway));
      const since = left.servedSince(key, areServed, now.getTime());
      const keptMs = resolved.length > 0 ? (oldFleetGraceMs ?? 0) : 0;
      if (since === undefined) continue;
      if (since + keptMs > now.getTime()) {
        due.push(since + keptMs);
        continue;
      }
      left.end(key);
      addAll(dirty.gatewayStatuses, leavers);
      const used = [...(state.gateway(key)?.backends.keys() ?? [])];
      state.removeGateway(key);
      for (const backend of used) backends.resolveVariant(backend);
      this.#unreported.add(key);
    }
    return due.length > 0 ? new Date(Math.min(...due)) : undefined;
  }

  /** Notes a resolved fleet for the next report. A draining fleet stays as it is, and is reported at its end. */
  noteResolved(key: string): void {
    if (!this.#deps.left.has(key)) this.#unreported.add(key);
  }

  /** What was resolved since the last call. */
  takeResolved(): FleetChange[] {
    const resolved = [...this.#unreported].map((key) => ({ key, fleet: this.#fleets.get(key) }));
    this.#unreported.clear();
    return resolved;
  }

  #resolveMember(key: string, before: ResolvedGateway | undefined, after: ResolvedGateway | undefined): void {
    if (before === after) return;
    this.#deps.gateways.replace(key, before, after);
    const [known, used] = [before?.backends ?? [], after?.backends ?? []];
    for (const backend of used.filter((each) => !known.includes(each)))
      this.use({ gateway: key, fleet: after?.fleet ?? '', backend, by: 1 });
    for (const backend of known.filter((each) => !used.includes(each)))
      this.use({ gateway: key, fleet: before?.fleet ?? '', backend, by: -1 });
  }

  #put(after: ResolvedFleet): void {
    const { key } = after;
    const { left, state, quarantine, hosts, streams, progress } = this.#deps;
    const isNew = !this.#fleets.has(key);
    this.#committed.note(key, this.#fleets.get(key));
    this.#fleets.set(key, after);
    // Those who left came back before they were served elsewhere.
    if (isNew && left.end(key)) state.clearGateway(key);
    else if (isNew) state.addGateway(key);
    const current = state.gateway(key) as ir.Fleet;
    const rejected = rejectedOfFleet(after, quarantine);
    if (rejected.isRejected || this.#rejected.get(key)?.isRejected) this.#markStatuses(after);
    this.#rejected.set(key, rejected);
    const { irListeners, secrets } = after;
    for (const name of keysOfBoth(current.listeners, irListeners)) state.setListener(key, name, irListeners.get(name));
    for (const name of keysOfBoth(current.secrets, secrets)) state.setSecret(key, name, secrets.get(name));
    hosts.setTables(key, after.tables, state);
    streams.setTables(key, after.streams);
    const { listenersDigest } = state.gateway(key) as ir.Fleet;
    progress.setDesired(after, irListeners, listenersDigest);
  }

  #markStatuses({ members }: ResolvedFleet): void {
    const { dirty } = this.#deps;
    for (const { key, sets } of members.values()) {
      dirty.gatewayStatuses.add(key);
      addAll(dirty.listenerSetStatuses, sets.keys());
    }
  }

  #drop(before: ResolvedFleet): void {
    const { key, members } = before;
    const { gateways, hosts, streams, left, progress, backends, state, oldFleetGraceMs } = this.#deps;
    this.#committed.note(key, before);
    this.#fleets.delete(key);
    this.#rejected.delete(key);
    progress.drop(key);
    hosts.drop(key);
    streams.drop(key);
    const movers = [...members.keys()].filter((member) => gateways.has(member));
    if (oldFleetGraceMs !== undefined && movers.length > 0 && !before.parameters.spec?.hostNetwork)
      left.put(key, movers);
    else {
      for (const backend of state.gateway(key)?.backends.keys() ?? []) backends.mark(backend);
      state.removeGateway(key);
    }
  }
}

const keysOfBoth = (one: { keys(): Iterable<string> }, other: { keys(): Iterable<string> }): Set<string> =>
  new Set([...one.keys(), ...other.keys()]);

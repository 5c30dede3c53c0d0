import { Map as ImmutableMap } from 'immutable';
import * as ir from '../../ir/index.ts';
import { each, type Steps } from '../../std/steps/index.ts';
import { noLimits, type TranslatorLimits } from '../engine/index.ts';
import { changesBetween } from './changes-between.ts';
import { type Fragment, gatewayDigest, placedDigest, put, sameFragment } from './fragments.ts';
import { SnapshotSize } from './snapshot-size.ts';
import { isSameTable, ownOf, type TableOwn } from './table-own.ts';
import type { HostChange } from './virtual-hosts.ts';

/**
 * The snapshot in the making: immutable maps that share structure with the one before, digests kept as sums, and the
 * list of what became different. Every method costs what it changes.
 */
export class SnapshotState {
  #gateways = ImmutableMap<string, ir.Fleet>();
  #backends = ImmutableMap<string, ir.Backend>();
  #endpoints = ImmutableMap<string, ir.Endpoints>();
  #endpointCount = 0;
  #listenerCount = 0;
  #digest = ir.emptyDigest;
  #changes: ir.Change[] = [];
  readonly #gatewaysByBackend = new Map<string, Set<string>>();
  readonly #size: SnapshotSize;
  #taken: ir.Snapshot = ir.emptySnapshot(new Date(0));
  /** What became different was not kept: it may not be taken for long, and would grow all the while. */
  #isHeld = false;

  constructor(limits: TranslatorLimits = noLimits) {
    this.#size = new SnapshotSize(limits);
  }

  /** Throws a BuildFault when a limit is exceeded; what became different is then found out when it is taken. */
  checkSize(): void {
    try {
      this.#size.check();
    } catch (error) {
      this.#isHeld = true;
      this.#changes = [];
      throw error;
    }
  }

  backend(key: string): ir.Backend | undefined {
    return this.#backends.get(key);
  }

  gateway(key: string): ir.Fleet | undefined {
    return this.#gateways.get(key);
  }

  addGateway(key: string): void {
    const gateway: ir.Fleet = {
      key,
      digest: ir.emptyDigest,
      listenersDigest: ir.emptyDigest,
      listeners: ImmutableMap(),
      tables: ImmutableMap(),
      streams: ImmutableMap(),
      secrets: ImmutableMap(),
      backends: ImmutableMap(),
    };
    this.#replace(undefined, gateway);
    this.#changes.push({ kind: 'gateway', gateway: key, after: gateway });
  }

  removeGateway(key: string): void {
    const before = this.#gateways.get(key);
    if (!before) return;
    for (const backend of before.backends.keys())
      this.use(key, backend, -(this.#gateways.get(key)?.backends.get(backend) ?? 0));
    this.#listenerCount -= before.listeners.size;
    this.#size.dropGateway(key);
    this.#replace(this.#gateways.get(key), undefined);
    // The earlier record of this build is outdated.
    this.#changes = this.#changes.filter(({ gateway }) => gateway !== key);
    this.#changes.push({ kind: 'gateway', gateway: key, before });
  }

  /** Takes all from the gateway but its listeners and secrets. */
  clearGateway(key: string): void {
    const { tables, streams, backends } = this.#get(key);
    for (const id of tables.keys()) this.setTable(key, id, undefined);
    for (const { id, hosts } of streams.values())
      for (const host of hosts.keys()) this.setStream(key, id, host, undefined);
    for (const [backend, count] of backends) this.use(key, backend, -count);
  }

  setListener(key: string, name: string, after: ir.Listener | undefined): void {
    const before = this.#get(key).listeners.get(name);
    if (sameFragment(before, after)) return;
    this.#listenerCount += Number(after !== undefined) - Number(before !== undefined);
    this.#size.countOwn(key, `listener ${name}`, before, after);
    this.#update(key, 'listener', name, before, after, (gateway, digestChange) => ({
      ...gateway,
      listeners: put(gateway.listeners, name, after),
      listenersDigest: ir.addDigest(gateway.listenersDigest, digestChange),
    }));
    this.#changes.push({ kind: 'listener', gateway: key, key: name, before, after });
  }

  setSecret(key: string, name: string, after: ir.Secret | undefined): void {
    const before = this.#get(key).secrets.get(name);
    if (sameFragment(before, after)) return;
    this.#size.countOwn(key, `secret ${name}`, before, after);
    this.#update(key, 'secret', name, before, after, (gateway) => ({
      ...gateway,
      secrets: put(gateway.secrets, name, after),
    }));
    this.#changes.push({ kind: 'secret', gateway: key, key: name, before, after });
  }

  /** Opens an (empty) table, changes what it demands of all requests, or closes it; closing one takes its hosts with it. */
  setTable(key: string, id: string, content: TableOwn | undefined): void {
    const before = this.#get(key).tables.get(id);
    if (before ? content && isSameTable(before, content) : !content) return;
    if (before && !content) this.#emptyTable(key, before);
    const { exact, fallback } = before ?? { exact: ImmutableMap(), fallback: ImmutableMap() };
    const after: ir.RouteTable | undefined = content && { id, ...ownOf(content), exact, fallback };
    this.#update(key, 'table', id, before && { id, ...ownOf(before) }, after && { id, ...ownOf(after) }, (gateway) => ({
      ...gateway,
      tables: put(gateway.tables, id, after),
    }));
    this.#changes.push({ kind: 'table', gateway: key, table: id, before, after });
  }

  setHost(key: string, tableId: string, { scope, host, after }: HostChange): void {
    const table = this.#get(key).tables.get(tableId);
    const before = table?.[scope].get(host);
    if (!table || sameFragment(before, after)) return;
    this.#size.countHost(key, before, after);
    this.#update(key, 'virtualHost', `${tableId} ${scope}`, before, after, (gateway) => ({
      ...gateway,
      tables: gateway.tables.set(tableId, { ...table, [scope]: put(table[scope], host, after) }),
    }));
    this.#changes.push({ kind: 'virtualHost', gateway: key, table: tableId, scope, host, before, after });
  }

  /** A stream table is there while it has hosts. */
  setStream(key: string, tableId: string, host: string, after: ir.StreamHost | undefined): void {
    const { id, hosts }: ir.StreamTable = this.#get(key).streams.get(tableId) ?? { id: tableId, hosts: ImmutableMap() };
    const before = hosts.get(host);
    if (sameFragment(before, after)) return;
    const changed = put(hosts, host, after);
    this.#size.countStream(key, before, after);
    this.#update(key, 'stream', tableId, before, after, (gateway) => ({
      ...gateway,
      streams: put(gateway.streams, id, changed.size > 0 ? { id, hosts: changed } : undefined),
    }));
    this.#changes.push({ kind: 'stream', gateway: key, table: id, host, before, after });
  }

  /** Adds to (or takes from) the number of routes of a gateway, of all Gateways that it stands for, that use a backend. Backends themselves are set by setBackend. */
  use(key: string, backend: string, by: number): void {
    const gateway = this.#get(key);
    const count = (gateway.backends.get(backend) ?? 0) + by;
    const isNew = !gateway.backends.has(backend);
    this.#gateways = this.#gateways.set(key, {
      ...gateway,
      backends: put(gateway.backends, backend, count > 0 ? count : undefined),
    });
    const users = this.#gatewaysByBackend.get(backend) ?? new Set();
    const described = { backend: this.#backends.get(backend), endpoints: this.#endpoints.get(backend) };
    if (count > 0 && isNew) {
      this.#gatewaysByBackend.set(backend, users.add(key));
      this.#reportBackend(key, backend, undefined, described.backend, undefined, described.endpoints);
    } else if (count <= 0 && !isNew) {
      users.delete(key);
      if (users.size === 0) this.#gatewaysByBackend.delete(backend);
      this.#reportBackend(key, backend, described.backend, undefined, described.endpoints, undefined);
    }
  }

  /** Whether any gateway uses the backend. */
  isUsed(backend: string): boolean {
    return this.#gatewaysByBackend.has(backend);
  }

  /** Backends that gateways use and that are not described yet, or are described and no longer used, are resolved by this. */
  setBackend(key: string, after: ir.Backend | undefined, endpointsAfter: ir.Endpoints | undefined): void {
    const before = this.#backends.get(key);
    const endpointsBefore = this.#endpoints.get(key);
    const next = sameFragment(before, after) ? before : after;
    const nextEndpoints = sameFragment(endpointsBefore, endpointsAfter) ? endpointsBefore : endpointsAfter;
    if (next === before && nextEndpoints === endpointsBefore) return;
    this.#size.countBackend(before, next);
    this.#size.countEndpoints(key, endpointsBefore, nextEndpoints);
    this.#backends = put(this.#backends, key, next);
    this.#endpoints = put(this.#endpoints, key, nextEndpoints);
    this.#endpointCount += (nextEndpoints?.endpoints.length ?? 0) - (endpointsBefore?.endpoints.length ?? 0);
    for (const gateway of this.#gatewaysByBackend.get(key) ?? []) {
      this.#reportBackend(gateway, key, before, next, endpointsBefore, nextEndpoints);
    }
  }

  /** Finds out what became different where it was not kept: to be done before it is taken. */
  *findHeld(): Steps<void> {
    if (!this.#isHeld) return;
    const changes: ir.Change[] = [];
    yield* each(changesBetween(this.#taken, this.#snapshot(this.#taken.generatedAt, 0)), (change) => {
      changes.push(change);
    });
    this.#changes = changes;
    this.#isHeld = false;
  }

  /** The snapshot as it is now, and what became different since the last call. */
  take(generatedAt: Date, routes: number): { readonly snapshot: ir.Snapshot; readonly changes: readonly ir.Change[] } {
    const snapshot = this.#snapshot(generatedAt, routes);
    const changes = this.#changes;
    this.#changes = [];
    this.#taken = snapshot;
    return { snapshot, changes };
  }

  #snapshot(generatedAt: Date, routes: number): ir.Snapshot {
    return {
      id: ir.formatDigest(this.#digest),
      generatedAt,
      gateways: this.#gateways,
      backends: this.#backends,
      endpoints: this.#endpoints,
      counts: {
        gateways: this.#gateways.size,
        listeners: this.#listenerCount,
        routes,
        backends: this.#backends.size,
        endpoints: this.#endpointCount,
      },
    };
  }

  #get(key: string): ir.Fleet {
    const gateway = this.#gateways.get(key);
    if (!gateway) throw new Error(`gateway ${key} is not in the snapshot`);
    return gateway;
  }

  /** All hosts at once: thousands of them would each make the gateway again, within one step of a build. */
  #emptyTable(key: string, table: ir.RouteTable): void {
    const { id } = table;
    let difference = ir.emptyDigest;
    for (const scope of ['exact', 'fallback'] as const) {
      for (const [host, before] of table[scope]) {
        this.#size.countHost(key, before, undefined);
        difference = ir.removeDigest(difference, placedDigest('virtualHost', `${id} ${scope}`, before));
        this.#changes.push({ kind: 'virtualHost', gateway: key, table: id, scope, host, before, after: undefined });
      }
    }
    const gateway = this.#get(key);
    this.#replace(gateway, {
      ...gateway,
      tables: gateway.tables.set(id, { ...table, exact: ImmutableMap(), fallback: ImmutableMap() }),
      digest: ir.addDigest(gateway.digest, difference),
    });
  }

  #reportBackend(
    gateway: string,
    key: string,
    before: ir.Backend | undefined,
    after: ir.Backend | undefined,
    endpointsBefore: ir.Endpoints | undefined,
    endpointsAfter: ir.Endpoints | undefined,
  ): void {
    if (before !== after) {
      this.#update(gateway, 'backend', key, before, after, (same) => same);
      this.#changes.push({ kind: 'backend', gateway, key, before, after });
    }
    if (endpointsBefore !== endpointsAfter) {
      this.#update(gateway, 'endpoints', key, endpointsBefore, endpointsAfter, (same) => same);
      this.#changes.push({ kind: 'endpoints', gateway, key, before: endpointsBefore, after: endpointsAfter });
    }
  }

  #update(
    key: string,
    kind: Fragment,
    place: string,
    before: object | undefined,
    after: object | undefined,
    change: (gateway: ir.Fleet, digestChange: ir.Digest) => ir.Fleet,
  ): void {
    const gateway = this.#get(key);
    const added = after ? placedDigest(kind, place, after) : ir.emptyDigest;
    const difference = before ? ir.removeDigest(added, placedDigest(kind, place, before)) : added;
    const changed = change(gateway, difference);
    this.#replace(gateway, { ...changed, digest: ir.addDigest(changed.digest, difference) });
  }

  #replace(before: ir.Fleet | undefined, after: ir.Fleet | undefined): void {
    if (before) this.#digest = ir.removeDigest(this.#digest, gatewayDigest(before));
    if (after) this.#digest = ir.addDigest(this.#digest, gatewayDigest(after));
    const key = (after ?? before)?.key as string;
    this.#gateways = put(this.#gateways, key, after);
  }
}

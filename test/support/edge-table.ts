import { typeUrls } from '../../src/envoy/index.ts';
import type * as ir from '../../src/ir/index.ts';
import { Translator } from '../../src/translate/index.ts';
import { baseName, chainName, earlierName, World } from './chain-world.ts';
import { gatewayKey, httpListener, route, snapshotOf, table, virtualHost } from './ir.ts';
import { filtersOfChain, ledToBy, subscribedBy } from './slot-lists.ts';

const { extension, listener } = typeUrls;
export const tableKey = 'http/80';
const behindName = `traffic/${tableKey}`;
/** The filter chains of the table in which requests may wait for what routes demand; they have passed the first. */
export const tableChains = [`entry/${tableKey}`, chainName, behindName];
/** All that the client has, one with a listener of an earlier release that drains. */
const allChains = [...tableChains, baseName, earlierName];

const nothing = new Uint8Array();

const isSame = (one: Uint8Array, other: Uint8Array): boolean => one === other || Buffer.compare(one, other) === 0;

/** A control plane's translation of one table, and an Envoy that subscribes as Envoy 1.40 does. */
export class EdgeTable {
  readonly world: World;
  readonly #translator = new Translator();
  readonly #hosts = new Map<string, ir.VirtualHost>();
  #own: Partial<ir.RouteTable> = {};
  /** The chains, once requests may wait in them: by name. */
  readonly #steady = new Map<string, Uint8Array>();
  /** The same of what the client had last. */
  readonly #last = new Map<string, Uint8Array>();
  /** What listeners of the client subscribe to, as soon as it has it. */
  readonly #there = new Set<string>();
  #began = false;

  constructor() {
    this.world = new World(() => this.#taken());
    this.world.chains.push(...allChains.filter((name) => name !== chainName));
    const snapshot = snapshotOf({ listeners: [httpListener(tableKey)], tables: [table(tableKey, {})] });
    const all = this.#translator.translate(snapshot, [
      { kind: 'table', gateway: gatewayKey, table: tableKey, after: table(tableKey, {}) },
      { kind: 'listener', gateway: gatewayKey, key: tableKey, after: httpListener(tableKey) },
    ]);
    for (const change of all) this.world.apply(change);
    this.world.start();
    this.deliver();
    this.#began = true;
  }

  /** The host has one route with these filters from now on; undefined: the host is gone. */
  serve(host: string, filters: ir.RouteFilters | undefined): void {
    this.#apply([this.#hostChange(host, filters)]);
  }

  /** The table itself has this from now on, and these hosts such routes, in one build. */
  demand(own: Partial<ir.RouteTable>, hosts: readonly (readonly [string, ir.RouteFilters | undefined])[] = []): void {
    this.#own = own;
    const changes = hosts.map(([host, filters]) => this.#hostChange(host, filters));
    this.#apply([...changes, { kind: 'table', gateway: gatewayKey, table: tableKey, after: this.#table() }]);
  }

  #hostChange(host: string, filters: ir.RouteFilters | undefined): ir.Change {
    const before = this.#hosts.get(host);
    const after = filters && virtualHost(host, [route('r', '/', { filters })]);
    if (after) this.#hosts.set(host, after);
    else this.#hosts.delete(host);
    return {
      kind: 'virtualHost',
      gateway: gatewayKey,
      table: tableKey,
      scope: 'exact',
      host,
      ...(before && { before }),
      ...(after && { after }),
    };
  }

  #table(): ir.RouteTable {
    return { ...table(tableKey, { exact: [...this.#hosts.values()] }), ...this.#own };
  }

  #apply(changes: readonly ir.Change[]): void {
    const snapshot = snapshotOf({ listeners: [httpListener(tableKey)], tables: [this.#table()] });
    for (const made of this.#translator.translate(snapshot, changes)) this.world.apply(made);
  }

  deliver(most = Number.POSITIVE_INFINITY): void {
    for (let sent = 0; sent < most; sent += 1) {
      const before = this.world.responses;
      this.world.deliver(1);
      if (this.world.responses === before) {
        if (this.#began) this.settled();
        return;
      }
      if (sent > 600) throw new Error('responses cause responses without end');
      this.#subscribe();
    }
  }

  bytes(typeUrl: string, name: string): Uint8Array | undefined {
    return this.world.client.bytes.get(`${typeUrl} ${name}`);
  }

  /** A listener begins subscriptions. What chains lead to keeps those that are there. */
  #subscribe(): void {
    const wanted = this.#subscribed();
    const led = [...this.led().values()].flat().filter((name) => this.world.chains.includes(name));
    this.world.want(new Set([...allChains, ...wanted, ...led]));
  }

  /** What listeners within the proxy subscribe to. */
  #subscribed(): string[] {
    const listeners = [...(this.world.client.has.get(listener)?.keys() ?? [])].filter((name) => name !== tableKey);
    return listeners.flatMap((name) => subscribedBy(this.bytes(listener, name) ?? nothing));
  }

  /** By chain, names of what it leads to. */
  led(): ReadonlyMap<string, string[]> {
    return new Map(allChains.map((name) => [name, [...ledToBy(this.bytes(extension, name) ?? nothing).values()]]));
  }

  #taken(): void {
    this.#expectStart();
    if (!this.#began) return;
    // Envoy begins no subscription for a chain of an open listener.
    for (const name of [...this.led().values()].flat())
      if (!this.bytes(extension, name) || !this.world.chains.includes(name))
        throw new Error(`requests are answered 500 for want of ${name}`);
    this.#expectLed();
    this.taken();
  }

  /** An Envoy that starts again waits for all that its listeners subscribe to. */
  #expectStart(): void {
    const subscribed = new Set(this.#subscribed());
    for (const name of subscribed)
      if (this.bytes(extension, name)) this.#there.add(name);
      else if (this.#there.has(name)) throw new Error(`an Envoy that starts again waits for ${name} without end`);
    for (const name of this.#there) if (!subscribed.has(name)) this.#there.delete(name);
  }

  /** Envoy gives a chain that is new what it rejected of a list. */
  #expectLed(): void {
    for (const [chain, lists] of this.led()) {
      const bytes = this.bytes(extension, chain) ?? nothing;
      const rejected = lists.find((name) => this.world.client.spoilt.has(name));
      if (rejected && !isSame(bytes, this.#last.get(chain) ?? nothing))
        throw new Error(`${chain} is rejected for what was rejected of ${rejected}`);
      this.#last.set(chain, bytes);
    }
  }

  /** After each response that the client took. */
  protected taken(): void {}

  /** There is nothing more to send. */
  protected settled(): void {}

  /**
   * Throws if a chain is not as it was while requests may wait in `access`. The one in front may be another: they have passed it. An empty one behind
   * may get filters, and has them for as long as they wait: who waits has none of an empty chain.
   */
  protected expectSteady(waiting: boolean): void {
    const led = this.led();
    for (const name of [...tableChains.slice(1), earlierName]) {
      const bytes = this.bytes(extension, name) ?? nothing;
      const before = this.#steady.get(name);
      if (name === behindName && filtersOfChain(bytes).length === 0 && before === undefined) continue;
      if (waiting && before !== undefined && !isSame(before, bytes)) throw new Error(`${name} was replaced`);
      if (waiting && led.get(name)?.length === 0) throw new Error(`${name} is not steady`);
      if (waiting) this.#steady.set(name, bytes);
      else this.#steady.delete(name);
    }
  }
}

import { objectKey } from '../gateway-api/index.ts';
import { type InformerHooks, type KubeClient, KubeError } from '../kube/index.ts';
import { type Clock, KeyedQueue } from '../std/queue/index.ts';
import { FormerPlaces } from './former-places.ts';
import { GatewayObjects, serviceKey } from './gateway-objects.ts';
import type { GatewayProxies, InfrastructureSettings } from './gateway-proxies.ts';
import { HostAddresses, hostKey } from './host-addresses.ts';
import { inventoryOf, type ManagedPart } from './inventory.ts';
import { ManagedObjects } from './managed-objects.ts';
import { dispensableKinds, type ProxyKindName } from './object.ts';
import { placed } from './place.ts';
import type { PlacedProxies } from './placed-proxies.ts';
import { ProxyEndpoints } from './proxy-endpoints.ts';
import type { Problem } from './reconcile-object.ts';
import { Reports, type ReportsOptions } from './reports.ts';
import { stateOf } from './state.ts';

export interface KubeInfrastructureOptions extends ReportsOptions {
  readonly client: KubeClient;
  readonly settings: InfrastructureSettings;
  /** While false nothing is written; call `resume` when it turns true. States are reported all the same. */
  readonly isLeader: () => boolean;
  /**
   * Whether what was made for Gateways that are not asked for may be deleted. Not while they may be there and cannot be read;
   * call `complete` again when they can. Always, when left out.
   */
  readonly mayRemove?: (gatewayKey: string) => boolean;
  /** For the log: a write failed and is tried again. */
  readonly onFailure?: (gatewayKey: string, error: unknown) => void;
  /** How long proxies stay in a former place beside those that serve in the new one, in milliseconds. Default 60,000. */
  readonly oldFleetGraceMs?: number | undefined;
  /** For the log, once for each reason: objects without which proxies serve all the same (their kind) cannot be made. */
  readonly onForbidden?: (kind: string, reason: string) => void;
  readonly hooks?: InformerHooks;
  readonly clock?: Clock;
}

/**
 * Keeps the proxies of every Gateway that it is asked to `ensure`: applies what differs from the desired objects, whether these
 * or the live ones changed, deletes what no Gateway needs, and reports the state.
 */
export class KubeInfrastructure {
  readonly #options: KubeInfrastructureOptions;
  readonly #managed: ManagedObjects;
  readonly #objects: GatewayObjects;
  readonly #endpoints: ProxyEndpoints;
  /** Keys of proxies by that of their Service. */
  readonly #byService = new Map<string, string>();
  readonly #hosts: HostAddresses;
  /** Gateways whose addresses are nodes', by hostKey. */
  readonly #hosted = new Map<string, string>();
  #hostsProblem: string | undefined;
  readonly #queue: KeyedQueue;
  readonly #former: FormerPlaces;
  readonly #desired = new Map<string, PlacedProxies>();
  readonly #problems = new Map<string, string>();
  readonly #reports: Reports;
  /** Kinds that were reported as impossible to make. */
  readonly #forbidden = new Set<string>();
  /** Every Gateway of the first full list was seen, so what belongs to none of them is left over. */
  #isComplete = false;
  /** Gateways that were removed before that. What was made for one may show up later than its end. */
  readonly #removed = new Set<string>();

  constructor(options: KubeInfrastructureOptions) {
    this.#options = options;
    this.#reports = new Reports(options);
    const { client, hooks, settings } = options;
    this.#managed = new ManagedObjects({
      client,
      controllerName: settings.controllerName,
      namespaces: settings.namespaces,
      hooks,
      onChange: (gateway) => this.#changed(gateway),
      onSynced: () => this.#synced(),
      onPermitted: (kind, permitted, message) => {
        if (permitted) this.reapply();
        else if (dispensableKinds.has(kind)) this.#forbid(kind, message);
      },
    });
    this.#objects = new GatewayObjects({
      client,
      settings,
      managed: this.#managed,
      onForbidden: (kind, reason) => this.#forbid(kind, reason),
    });
    this.#endpoints = new ProxyEndpoints({
      client,
      hooks,
      namespaces: settings.namespaces,
      onChange: (service) => this.#endpointsChanged(service),
      onSynced: () => this.#reportAll(),
      onForbidden: (reason) => this.#forbid('EndpointSlice', reason),
    });
    this.#hosts = new HostAddresses({
      client,
      hooks,
      namespaces: settings.namespaces,
      onChange: (key) => this.#report(this.#hosted.get(key) ?? ''),
    });
    this.#queue = new KeyedQueue({
      work: (key, signal) => this.#reconcile(key, signal),
      onError: (key, error) => {
        // Ended because we do not lead any more, or stop: nothing went wrong.
        if (!(error instanceof KubeError && error.code === 'aborted')) options.onFailure?.(key, error);
      },
      concurrency: 8,
      isOpen: () => this.#managed.isSynced && options.isLeader(),
      clock: options.clock,
    });
    const { oldFleetGraceMs: keepMs = 60_000, clock } = options;
    this.#former = new FormerPlaces({ keepMs, clock, onDue: (key) => this.#queue.add(key) });
  }

  /** Watches and repairs until the signal. Rejects when the permission to watch is missing at the start. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all([this.#managed.run(signal), this.#endpoints.run(signal), this.#watchHosts(signal)]);
    } finally {
      this.#former.stop();
      await this.#queue.stop();
    }
  }

  /** Sets the desired proxies of the Gateway; the newest description counts. */
  ensure(desired: GatewayProxies): void {
    const gateway = placed(desired, this.#options.settings);
    const key = objectKey(gateway.namespace, gateway.name);
    this.#desired.set(key, gateway);
    this.#byService.set(serviceKey(gateway), key);
    if (gateway.parameters?.hostNetwork) this.#hosted.set(hostKey(gateway.place), key);
    else this.#hosted.delete(hostKey(gateway.place));
    this.#queue.add(key);
    this.#report(key);
  }

  /** The Gateway needs no proxies any more. */
  remove(gatewayKey: string): void {
    const gateway = this.#desired.get(gatewayKey);
    if (gateway) {
      this.#hosted.delete(hostKey(gateway.place));
      this.#byService.delete(serviceKey(gateway));
    }
    this.#desired.delete(gatewayKey);
    this.#problems.delete(gatewayKey);
    this.#reports.forget(gatewayKey);
    this.#former.forget(gatewayKey);
    if (!this.#isComplete) this.#removed.add(gatewayKey);
    this.#queue.add(gatewayKey);
  }

  /** To be called once when every Gateway that exists was ensured: proxies of others are then deleted. */
  complete(): void {
    this.#isComplete = true;
    this.#removed.clear();
    this.#sweep();
  }

  /** To be called when we became the leader. */
  resume(): void {
    this.reapply();
    this.#sweep();
    this.#queue.resume();
  }

  /** To be called when something changed that the proxies of all Gateways have in common. */
  reapply(): void {
    for (const key of this.#desired.keys()) this.#queue.add(key);
  }

  /** What there is of every Gateway, and what should be; undefined while that is not known yet. */
  inventory(): ManagedPart[] | undefined {
    if (!this.#managed.isSynced) return undefined;
    return inventoryOf(this.#desired, this.#managed, (gateway) => this.#objects.desiredOf(gateway));
  }

  /** Resolves when all that was asked for is applied. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  #synced(): void {
    this.#sweep();
    this.#queue.resume();
    this.#reportAll();
  }

  #reportAll(): void {
    for (const key of this.#desired.keys()) this.#report(key);
  }

  #endpointsChanged(service: string | undefined): void {
    if (service === undefined) this.#reportAll();
    else this.#report(this.#byService.get(service) ?? '');
  }

  #changed(gatewayKey: string): void {
    if (!this.#managed.isSynced) return;
    if (this.#desired.has(gatewayKey) || this.#isComplete || this.#removed.has(gatewayKey)) this.#queue.add(gatewayKey);
    this.#report(gatewayKey);
  }

  #sweep(): void {
    if (!this.#isComplete || !this.#managed.isSynced) return;
    for (const key of this.#managed.gateways()) if (!this.#desired.has(key)) this.#queue.add(key);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<void> {
    const gateway = this.#desired.get(key);
    if (gateway === undefined) {
      if (this.#options.mayRemove?.(key) === false) return;
      await this.#objects.removeAll(key, signal);
      return;
    }
    const { namespace } = gateway.place;
    if (this.#options.settings.namespaces?.includes(namespace) === false) {
      this.#setProblem(key, `namespace ${namespace} is outside of where this install may run proxies`);
      return;
    }
    // What there is may be just right, and what is not there might be made quite wrong.
    if (gateway.parameters === undefined) {
      this.#setProblem(key, undefined);
      return;
    }
    try {
      await this.#objects.removeUnasked(key, gateway, signal);
      // Ports of nodes are free only when the former proxies have ended.
      if (gateway.parameters.hostNetwork) await this.#objects.removeReplaced(key, gateway, signal);
      this.#setProblem(key, await this.#objects.apply(gateway, signal));
      if (this.#objects.isComplete(gateway)) await this.#objects.removeReplaced(key, gateway, signal);
      await this.#removeFormer(key, gateway, signal);
    } catch (error) {
      // A quota, a policy, a missing right or namespace: retried, but the author of the Gateway should read of it now.
      if (error instanceof KubeError && (error.code === 'forbidden' || error.code === 'not-found'))
        this.#setProblem(key, error.message);
      throw error;
    }
  }

  /** Rights of an earlier release, say: what served goes on to. */
  #forbid(kind: ProxyKindName | 'EndpointSlice', reason: string): void {
    if (this.#forbidden.has(kind)) return;
    this.#forbidden.add(kind);
    this.#options.onForbidden?.(kind, reason);
  }

  async #removeFormer(key: string, gateway: PlacedProxies, signal: AbortSignal): Promise<void> {
    if (!this.#objects.hasFormer(key, gateway)) return;
    if (!this.#former.isOver(key, this.#reports.stateOf(key)?.ready ?? false)) return;
    await this.#objects.removeFormer(key, gateway, signal);
    this.#former.forget(key);
  }

  /** Without the right to look at pods the Gateways of nodes have no address, and all others are as they were. */
  async #watchHosts(signal: AbortSignal): Promise<void> {
    try {
      await this.#hosts.run(signal);
    } catch (error) {
      this.#hostsProblem = `cannot read which nodes run the proxies: ${(error as Error).message}`;
      for (const key of this.#hosted.values()) this.#report(key);
    }
  }

  #setProblem(key: string, problem: Problem): void {
    if (problem === undefined) this.#problems.delete(key);
    else this.#problems.set(key, problem);
    this.#report(key);
  }

  #report(key: string): void {
    const gateway = this.#desired.get(key);
    if (gateway === undefined || !this.#managed.isSynced || !this.#endpoints.isSynced) return;
    const { place, parameters } = gateway;
    const hosts = parameters?.hostNetwork ? this.#hosts.of(place) : undefined;
    const service = this.#managed.find('Service', serviceKey(gateway));
    const endpoints = this.#endpoints.of(place);
    const state = stateOf({
      workload: this.#objects.servingWorkload(key, gateway),
      service,
      endpoints,
      problem: this.#problems.get(key) ?? (hosts && this.#hostsProblem),
      hosts,
      asked: parameters && this.#objects.addressesOf(gateway),
    });
    // Without a Service there is nothing that lists pods.
    this.#reports.report(key, state, service && endpoints?.pods);
  }
}

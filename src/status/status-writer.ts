import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  isPolicyKind,
  isRouteKind,
  type KindName,
  type KubernetesObject,
  type WrittenStatus,
} from '../gateway-api/index.ts';
import { KubeError } from '../kube/index.ts';
import { flatten } from '../std/memory/index.ts';
import { type Clock, KeyedQueue, systemClock } from '../std/queue/index.ts';
import { mergeStatus } from './merge-status.ts';
import type { StatusApi } from './status-api.ts';

/** `unchanged`: the live status said it already, so nothing was sent. */
export type WriteResult = 'written' | 'unchanged' | 'conflict' | 'gone' | 'invalid' | 'error';

export interface StatusWriterOptions {
  readonly api: StatusApi;
  /** The live object as the watch knows it, with its status; undefined when it is not there. */
  readonly lookup: (kind: KindName, key: string) => KubernetesObject | undefined;
  readonly controllerName: string;
  /** While false nothing is written; call `resume` when it turns true. */
  readonly isLeader: () => boolean;
  /** The time of day, for `lastTransitionTime`. */
  readonly now: () => Date;
  /** For the counter status_writes_total{kind,result}. */
  readonly onResult?: (kind: KindName, result: WriteResult) => void;
  /** For the log: a write failed, and is tried again unless the API server called it invalid. */
  readonly onFailure?: (failure: StatusFailure) => void;
  /** Writes in flight at the same time. Default 16. */
  readonly concurrency?: number;
  readonly clock?: Clock;
}

export interface StatusFailure {
  readonly kind: KindName;
  readonly key: string;
  readonly message: string;
  readonly willRetry: boolean;
}

interface DesiredStatus {
  readonly kind: KindName;
  readonly key: string;
  readonly status: WrittenStatus;
  /** When this desired status was last written: another writer undoes it if it has to be written again. */
  writtenAt: number | undefined;
}

/** Gateways and ListenerSets change with every route that attaches; one write for each of those would be a storm. */
const GATEWAY_INTERVAL_MS = 100;
/** The same when only the number of routes differs: no caller waits for that. */
const COUNT_INTERVAL_MS = 500;
/** Where another writer keeps undoing what we write, we answer no faster than this. */
const CONTEST_INTERVAL_MS = 30_000;
const CONFLICT_ATTEMPTS = 5;

/**
 * Brings desired statuses to the API server: only those that differ in meaning, the newest of each object, many at
 * a time, with optimistic concurrency, and only while we lead.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #desired = new Map<string, DesiredStatus>();
  /** What our last write of an object gave and which version it replaced: the watch reports it later. */
  readonly #written = new Map<string, { readonly replaced: string | undefined; readonly object: KubernetesObject }>();
  /** What Gateways and ListenerSets were last seen or made to say. */
  readonly #said = new Map<string, WrittenStatus>();
  /** Objects that back off from a conflicting writer, with what ends the wait. */
  readonly #contested = new Map<string, () => void>();
  readonly #clock: Clock;
  readonly #queue: KeyedQueue;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#queue = new KeyedQueue({
      work: (id, signal) => this.#work(id, signal),
      onError: (id, error) => this.#failed(id, error),
      concurrency: options.concurrency ?? 16,
      isOpen: options.isLeader,
      intervalMs: (id) => this.#intervalMs(id),
      // People and tools wait for Gateways; thousands of routes may be in line before them.
      isUrgent: (id) => /^(Gateway|GatewayClass|ListenerSet) /.test(id),
      clock: this.#clock,
    });
  }

  /**
   * Sets the object's desired status. Undefined: the object is not ours (any more); our entries of a route's parents are
   * removed, and a Gateway, ListenerSet or GatewayClass is left as it is, since its new controller writes the same conditions.
   */
  setDesired(kind: KindName, key: string, status: WrittenStatus | undefined): void {
    const id = idOf(kind, key);
    this.#contested.get(id)?.();
    const desired = status ?? this.#nothing(kind, key);
    if (desired !== undefined) this.#desired.set(id, { kind, key, status: desired, writtenAt: undefined });
    else {
      this.#desired.delete(id);
      this.#said.delete(id);
    }
    this.#ask(id);
  }

  /** To be called when a live object changed: whether it still has the desired status is checked again. */
  observe(kind: KindName, key: string): void {
    const id = idOf(kind, key);
    // Where the line is long, its turn would come late: what the watch has reported need not be kept until then.
    const written = this.#written.get(id);
    const latestVersion = written && this.#options.lookup(kind, key)?.metadata.resourceVersion;
    if (written && latestVersion !== written.replaced) this.#written.delete(id);
    this.#ask(id);
  }

  /** To be called when the object was deleted. */
  forget(kind: KindName, key: string): void {
    const id = idOf(kind, key);
    this.#contested.get(id)?.();
    this.#desired.delete(id);
    this.#written.delete(id);
    this.#said.delete(id);
  }

  /** To be called when we became the leader: every desired status is compared with the live object. */
  resume(): void {
    for (const id of this.#desired.keys()) this.#ask(id);
    this.#queue.resume();
  }

  /** Resolves when every desired status is written, or backs off from another writer. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /** Starts no more writes and resolves when those in flight have ended. */
  async stop(): Promise<void> {
    for (const cancel of [...this.#contested.values()]) cancel();
    await this.#queue.stop();
  }

  /** What an object says where nothing of ours is in it; undefined where there is none to take it out of. */
  #nothing(kind: KindName, key: string): WrittenStatus | undefined {
    if (this.#options.lookup(kind, key) === undefined) return undefined;
    if (isRouteKind(kind)) return { kind, parents: [] };
    return isPolicyKind(kind) ? { kind, ancestors: [] } : undefined;
  }

  /** A replica that follows has no queue, because it would grow with every object and is never worked off. */
  #ask(id: string): void {
    if (this.#desired.has(id) && this.#options.isLeader()) this.#queue.add(id);
  }

  async #work(id: string, signal: AbortSignal): Promise<void> {
    // What this turn sends to proxies leaves at its end, and each of them waits for that.
    await nextTurn();
    const desired = this.#desired.get(id);
    if (desired === undefined) return;
    let live = this.#newest(id, desired);
    for (let attempt = 0; attempt < CONFLICT_ATTEMPTS; attempt++) {
      if (live === undefined) {
        this.#finish(id, desired, 'gone');
        return;
      }
      const result = await this.#write(id, desired, live, signal);
      if (result !== 'conflict') return;
      live = await this.#options.api.read(desired.kind, desired.key, signal);
    }
    throw new Error('the object changed each time between read and write');
  }

  async #write(id: string, desired: DesiredStatus, live: KubernetesObject, signal: AbortSignal): Promise<WriteResult> {
    const { api, controllerName, now } = this.#options;
    const status = mergeStatus(live.status, desired.status, { controllerName, now: toSeconds(now()) });
    if (saysAlready(live.status, status)) return this.#finish(id, desired, 'unchanged');
    if (this.#waitsForConflictBackoff(id, desired)) return 'unchanged';
    const resourceVersion = live.metadata.resourceVersion ?? '';
    const outcome = await api.patchStatus(desired.kind, desired.key, status, resourceVersion, signal);
    if (outcome.result === 'written') this.#remember(id, desired, outcome.object);
    if (outcome.result === 'invalid') this.#logFailure(desired, outcome.message, false);
    return this.#finish(id, desired, outcome.result);
  }

  /** The newest we know of the object: the watch may not have reported our own last write yet. */
  #newest(id: string, { kind, key }: DesiredStatus): KubernetesObject | undefined {
    const watched = this.#options.lookup(kind, key);
    const written = this.#written.get(id);
    if (watched === undefined || written === undefined) return watched;
    if (watched.metadata.resourceVersion === written.replaced) return written.object;
    this.#written.delete(id);
    return watched;
  }

  #remember(id: string, desired: DesiredStatus, object: KubernetesObject): void {
    desired.writtenAt = this.#clock.now();
    const watched = this.#options.lookup(desired.kind, desired.key);
    if (watched === undefined) return;
    this.#written.set(id, { replaced: watched.metadata.resourceVersion, object });
  }

  /**
   * True when this desired status was written a moment ago and another controller undid it: then it waits its turn, or two writers
   * would chase each other at full speed.
   */
  #waitsForConflictBackoff(id: string, desired: DesiredStatus): boolean {
    if (desired.writtenAt === undefined) return false;
    const wait = desired.writtenAt + CONTEST_INTERVAL_MS - this.#clock.now();
    if (wait <= 0) return false;
    if (this.#contested.has(id)) return true;
    const cancel = this.#clock.after(wait, () => {
      this.#contested.delete(id);
      this.#queue.add(id);
    });
    this.#contested.set(id, () => {
      cancel();
      this.#contested.delete(id);
    });
    return true;
  }

  #intervalMs(id: string): number {
    if (!isCounting(id)) return 0;
    const [said, desired] = [this.#said.get(id), this.#desired.get(id)];
    const isCountOnly = said && desired && isDeepStrictEqual(withoutCounts(said), withoutCounts(desired.status));
    return isCountOnly ? COUNT_INTERVAL_MS : GATEWAY_INTERVAL_MS;
  }

  /** Drops the desired status when there is nothing left to hold the object to. */
  #finish(id: string, desired: DesiredStatus, result: WriteResult): WriteResult {
    if (isCounting(id) && (result === 'written' || result === 'unchanged')) this.#said.set(id, desired.status);
    const isOver = result === 'gone' || (isEmpty(desired.status) && result !== 'conflict');
    if (isOver && this.#desired.get(id) === desired) this.#desired.delete(id);
    this.#report(desired, result);
    return result;
  }

  #failed(id: string, error: unknown): void {
    const desired = this.#desired.get(id);
    // Ended because we do not lead any more, or stop: nothing went wrong.
    if (desired === undefined || (error instanceof KubeError && error.code === 'aborted')) return;
    this.#report(desired, 'error');
    this.#logFailure(desired, error instanceof Error ? error.message : String(error), true);
  }

  #report(desired: DesiredStatus, result: WriteResult): void {
    this.#options.onResult?.(desired.kind, result);
  }

  #logFailure({ kind, key }: DesiredStatus, message: string, willRetry: boolean): void {
    this.#options.onFailure?.({ kind, key, message, willRetry });
  }
}

/** The status without our entries, for an object that others write to as well. */
const isEmpty = (status: WrittenStatus): boolean =>
  ('parents' in status && status.parents.length === 0) ||
  ('ancestors' in status && status.ancestors.length === 0) ||
  (status.kind === 'Ingress' && status.addresses.length === 0);

const idOf = (kind: KindName, key: string): string => flatten([kind, key], ' ');

/** Whether the object's status says how many routes it has. */
const isCounting = (id: string): boolean => /^(Gateway|ListenerSet) /.test(id);

const withoutCounts = (status: WrittenStatus): WrittenStatus =>
  'listeners' in status
    ? { ...status, listeners: status.listeners.map((listener) => ({ ...listener, attachedRoutes: 0 })) }
    : status;

/** metav1.Time has whole seconds. */
const toSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** Whether writing `status` over the live one would change nothing. Absent and empty mean the same. */
function saysAlready(live: unknown, status: object): boolean {
  return Object.entries(status).every(([field, desired]) => {
    const has = (live as Record<string, unknown> | undefined)?.[field];
    return isDeepStrictEqual(has, desired) || (has === undefined && Array.isArray(desired) && desired.length === 0);
  });
}

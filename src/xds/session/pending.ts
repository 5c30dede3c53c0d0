import type { EnvoyResource } from '../../translate/index.ts';
import type { Batch } from '../rejections/split-rejected.ts';
import type { FilterChains } from './filter-chains.ts';
import { SlotWait } from './slot-wait.ts';
import { goesAlone, type TypeTraits } from './type-traits.ts';
import { deltaSize } from './wire.ts';

/** What was taken out, and the first epoch of which it has something. */
export interface Taken {
  readonly batch: Batch;
  readonly since: number;
}

/**
 * What is to be sent of one type: the newest of each name, in the order in which it goes out. That which clusters lead to comes first and
 * by itself, what continues others comes behind them, and what is put `apart` comes when all the rest was taken. What fills slots of
 * filter chains that the client does not have waits in `slots`.
 */
export class Pending {
  readonly #isInner: TypeTraits['isInner'];
  /** By name; undefined: it is reported as not existing. */
  readonly #contents = new Map<string, EnvoyResource | undefined>();
  /** Of these, what goes before clusters do. */
  readonly #inner = new Set<string>();
  /** Of these, what goes behind the rest. */
  readonly #last = new Set<string>();
  readonly #apart = new Map<string, EnvoyResource>();
  readonly #slots: SlotWait;
  #mustAnswer = false;
  #since = Number.POSITIVE_INFINITY;

  constructor(isInner: TypeTraits['isInner'], chains: Pick<FilterChains, 'allows'>) {
    this.#isInner = isInner;
    this.#slots = new SlotWait(chains);
  }

  /** The epoch of the oldest that can be sent; infinite when there is nothing. */
  get since(): number {
    return this.#since;
  }

  /** The epoch of the oldest that waits for slots; infinite when nothing does. */
  get blockedSince(): number {
    return this.#slots.since;
  }

  /** There is something to send, be it an empty answer. */
  get hasAny(): boolean {
    return this.#contents.size > 0 || this.#apart.size > 0 || this.#mustAnswer;
  }

  get hasInner(): boolean {
    return this.#inner.size > 0;
  }

  /** Nothing is left but what goes apart. */
  get hasOnlyApart(): boolean {
    return this.#contents.size === 0;
  }

  has(name: string): boolean {
    return this.#contents.has(name);
  }

  resources(): EnvoyResource[] {
    return [...this.#contents.values()].filter((resource) => resource !== undefined);
  }

  put(resource: EnvoyResource, since: number): void {
    const { name, continues } = resource;
    this.#slots.queued(resource);
    this.#contents.set(name, resource);
    if (this.#isInner(name)) this.#inner.add(name);
    if (continues) this.#last.add(name);
    this.#began(since);
  }

  putAbsent(name: string, since: number): void {
    this.#forgetPlace(name);
    this.keepTogether(name);
    this.#contents.set(name, undefined);
    this.#began(since);
  }

  putApart(resource: EnvoyResource, since: number): void {
    this.#apart.set(resource.name, resource);
    this.#began(since);
  }

  /** What was put apart; it stays until it is put elsewhere. */
  apart(): EnvoyResource[] {
    return [...this.#apart.values()];
  }

  /** It goes with the rest from now on, and waits for no slots unless that is found again. */
  keepTogether(name: string): void {
    this.#apart.delete(name);
    this.#slots.unblock(name);
  }

  /** An answer is due, even an empty one. */
  requireAnswer(since: number): void {
    this.#mustAnswer = true;
    this.#began(since);
  }

  /** Withdraws a name, wherever it is. */
  delete(name: string): void {
    this.keepTogether(name);
    this.#takeOut(name);
    this.#close();
  }

  /** All of it may go together. */
  mix(): void {
    this.#inner.clear();
  }

  /** Puts aside what fills slots that the client does not have, and takes back what it has got the slots for. */
  sift(): void {
    for (const { resource, since } of this.#slots.takeAllowed()) this.put(resource, since);
    for (const name of this.#slots.takeQueued()) {
      const resource = this.#contents.get(name);
      if (resource && this.#slots.mustWait(resource)) this.#block(resource);
    }
  }

  /** Takes out what clusters lead to, at most about `maxBytes` (but at least one resource). */
  takeInner(maxBytes: number): Taken {
    return this.#take(maxBytes, [...this.#inner]);
  }

  /** The same of all. */
  take(maxBytes: number): Taken {
    return this.#take(maxBytes, this.#inOrder());
  }

  #take(maxBytes: number, names: Iterable<string>): Taken {
    const upserts: EnvoyResource[] = [];
    const removed: string[] = [];
    let bytes = 0;
    for (const name of names) {
      const resource = this.#contents.get(name);
      if (resource && this.#slots.mustWait(resource)) {
        this.#block(resource);
        continue;
      }
      const isAlone = resource !== undefined && goesAlone(resource);
      bytes += resource === undefined ? name.length : deltaSize(resource);
      if ((bytes > maxBytes || isAlone) && upserts.length + removed.length > 0) break;
      if (resource === undefined) removed.push(name);
      else upserts.push(resource);
      this.#takeOut(name);
      if (isAlone) break;
    }
    const since = this.#since;
    this.#mustAnswer = false;
    this.#close();
    return { batch: { upserts, removed }, since };
  }

  #inOrder(): Iterable<string> {
    if (this.#last.size === 0) return this.#contents.keys();
    return [...[...this.#contents.keys()].filter((name) => !this.#last.has(name)), ...this.#last];
  }

  #block(resource: EnvoyResource): void {
    this.#slots.block(resource, this.#since);
    this.#takeOut(resource.name);
    this.#close();
  }

  #takeOut(name: string): void {
    this.#contents.delete(name);
    this.#forgetPlace(name);
  }

  #forgetPlace(name: string): void {
    this.#slots.unqueued(name);
    this.#inner.delete(name);
    this.#last.delete(name);
  }

  #began(since: number): void {
    this.#since = Math.min(this.#since, since);
  }

  #close(): void {
    if (!this.hasAny) this.#since = Number.POSITIVE_INFINITY;
  }
}

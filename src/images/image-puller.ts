import { imageKey, type ModuleImage } from '../contracts/index.ts';
import type { ModuleCode } from '../ir/index.ts';
import { Backoff } from '../std/index.ts';
import type { Clock } from '../std/queue/index.ts';
import { PullFault } from './pull-fault.ts';

export interface ImagePullerOptions {
  /** Pulls and checks; rejects with PullFault. */
  readonly pull: (
    image: ModuleImage,
    signal: AbortSignal,
  ) => Promise<{ readonly module: ModuleCode; readonly bytes: number }>;
  /** How many bytes the modules of one namespace may have together. */
  readonly maxNamespaceBytes: number;
  readonly clock: Clock;
  /** What there is by imageKey: a module, why there is none, or nothing any more. */
  readonly onResult: (key: string, image: ModuleImage, result: ModuleCode | PullFault | undefined) => void;
  readonly random?: () => number;
}

interface Entry {
  readonly image: ModuleImage;
  /** Keys of the policies that want it. */
  readonly policies: Set<string>;
  readonly backoff: Backoff;
  readonly abandoned: AbortController;
  /** What policies that want it had before stands in its place until it is there, or failed. */
  former?: Pulled | undefined;
  pulled?: Pulled | undefined;
  hasFailed: boolean;
  dueAt: number;
  isRunning: boolean;
}

interface Pulled {
  readonly module: ModuleCode;
  readonly bytes: number;
}

const backoff = { baseMs: 4000, maxMs: 300_000 } as const;
/** Of all answers together. */
const timeoutMs = 60_000;
/** At once, and of one namespace, so that slow registries of one hold up no other. */
const mostRunning = 8;
const mostRunningOfOne = 2;
/** How many images the policies of one namespace may name. */
const maxPerNamespace = 32;

/**
 * Pulls images that policies name: each once, since a digest never means anything else, and again only while that fails. Every replica does, for each
 * serves proxies. What no policy names any more is forgotten.
 */
export class ImagePuller {
  readonly #options: ImagePullerOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #keysByPolicy = new Map<string, string>();
  readonly #stopping = new AbortController();
  #waiting: (() => void)[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: ImagePullerOptions) {
    this.#options = options;
  }

  /** What a policy wants; undefined: none, or it is gone. `policy`: its key. */
  want(policy: string, image: ModuleImage | undefined): void {
    const before = this.#keysByPolicy.get(policy);
    const key = image && imageKey(image);
    if (key === before) return;
    if (image && key !== undefined) {
      this.#keysByPolicy.set(policy, key);
      this.#join(key, image, policy, before);
    } else this.#keysByPolicy.delete(policy);
    if (before !== undefined) this.#leave(before, policy);
    this.#wake();
  }

  /** Of the images that are wanted now, by imageKey. */
  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Something changed that an image is pulled by: it is tried at once if it failed. */
  retry(isMeant: (image: ModuleImage) => boolean): void {
    for (const entry of this.#entries.values()) {
      if (entry.pulled || entry.isRunning || !isMeant(entry.image)) continue;
      entry.backoff.reset();
      entry.dueAt = this.#options.clock.now();
    }
    this.#wake();
  }

  /** Resolves when each image that is wanted now is there, or was tried. */
  settled(): Promise<void> {
    if (this.#isSettled()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop(): void {
    this.#stopping.abort();
    this.#cancel?.();
    this.#resolveWaiting();
  }

  #join(key: string, image: ModuleImage, policy: string, before: string | undefined): void {
    const known = this.#entries.get(key);
    if (known) return void known.policies.add(policy);
    const { random, clock, onResult } = this.#options;
    const former = before === undefined ? undefined : this.#entries.get(before)?.pulled;
    const entry: Entry = {
      image,
      policies: new Set([policy]),
      backoff: new Backoff({ ...backoff, ...(random && { random }) }),
      abandoned: new AbortController(),
      former,
      hasFailed: false,
      dueAt: clock.now(),
      isRunning: false,
    };
    this.#entries.set(key, entry);
    if (former) onResult(key, image, former.module);
  }

  #leave(key: string, policy: string): void {
    const entry = this.#entries.get(key);
    if (!entry?.policies.delete(policy) || entry.policies.size > 0) return;
    entry.abandoned.abort();
    this.#entries.delete(key);
    this.#options.onResult(key, entry.image, undefined);
  }

  #of(namespace: string): Entry[] {
    return [...this.#entries.values()].filter(({ image }) => image.namespace === namespace);
  }

  /** Begins what is due, and waits for what comes next. */
  #wake(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#stopping.signal.aborted) return;
    const { clock } = this.#options;
    const now = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, entry] of this.#entries) {
      if (entry.isRunning || entry.pulled) continue;
      if (entry.dueAt > now) next = Math.min(next, entry.dueAt);
      else if (this.#hasRoom(entry)) void this.#pull(key, entry);
    }
    if (next < Number.POSITIVE_INFINITY) this.#cancel = clock.after(next - now, () => this.#wake());
    if (this.#isSettled()) this.#resolveWaiting();
  }

  /** What ends makes room for others. */
  #hasRoom({ image }: Entry): boolean {
    const running = [...this.#entries.values()].filter(({ isRunning }) => isRunning);
    const own = running.filter(({ image: { namespace } }) => namespace === image.namespace);
    return running.length < mostRunning && own.length < mostRunningOfOne;
  }

  async #pull(key: string, entry: Entry): Promise<void> {
    entry.isRunning = true;
    try {
      const signal = AbortSignal.any([this.#stopping.signal, entry.abandoned.signal, AbortSignal.timeout(timeoutMs)]);
      this.#checkCount(entry);
      const pulled = await this.#options.pull(entry.image, signal);
      this.#checkBytes(entry, pulled.bytes);
      this.#over(key, entry, pulled);
    } catch (caught) {
      this.#over(key, entry, PullFault.from(caught));
    } finally {
      entry.isRunning = false;
      this.#wake();
    }
  }

  #over(key: string, entry: Entry, result: Pulled | PullFault): void {
    if (this.#stopping.signal.aborted || entry.abandoned.signal.aborted) return;
    entry.former = undefined;
    entry.hasFailed = result instanceof PullFault;
    if (result instanceof PullFault) entry.dueAt = this.#options.clock.now() + entry.backoff.next();
    else entry.pulled = result;
    this.#options.onResult(key, entry.image, result instanceof PullFault ? result : result.module);
  }

  #checkCount({ image: { namespace } }: Entry): void {
    const others = this.#of(namespace).filter(({ pulled }) => pulled).length;
    if (others >= maxPerNamespace)
      throw new PullFault(`the policies of its namespace name ${maxPerNamespace} other images`);
  }

  #checkBytes({ image: { namespace } }: Entry, bytes: number): void {
    const { maxNamespaceBytes } = this.#options;
    const others = this.#of(namespace).reduce((sum, { pulled }) => sum + (pulled?.bytes ?? 0), 0);
    if (others + bytes > maxNamespaceBytes)
      throw new PullFault(`the modules of its namespace have more than ${maxNamespaceBytes} bytes with it`);
  }

  #isSettled(): boolean {
    return [...this.#entries.values()].every(({ pulled, hasFailed }) => pulled || hasFailed);
  }

  #resolveWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import { type Kind, type KubernetesObject, keyOf } from '../gateway-api/index.ts';
import { Backoff } from '../std/index.ts';
import type { WatchEvent } from './answers.ts';
import {
  defaultTiming,
  type InformerHandler,
  type InformerOptions,
  type InformerState,
  type InformerTiming,
  neverForgotten,
  notFoundToBelieve,
  type RestartReason,
  selected,
} from './informer-options.ts';
import { KindVersions } from './kind-versions.ts';
import { KubeError } from './kube-error.ts';
import { Looks } from './looks.ts';
import { prune } from './prune.ts';

/**
 * Keeps telling the objects of one kind: lists page by page, then watches from the list's version on, with bookmarks.
 *
 * - The server ends a watch, or the connection breaks or falls silent: watch again from the last version seen.
 * - The version is too old (410): list again and compare with what was reported, so that deletions in between are reported too.
 * - The kind is not served (404), in no version that says the same: all objects are reported as deleted, the kind counts as synced, and is looked for again. Of kinds that protect
 *   others the last known objects stay, and where there were some before the start, the kind does not count as synced (InformerOptions.expected).
 * - Everything else, 429 included: try again after a growing wait with jitter, or the longer one the server asks for.
 *
 * It ends by its signal only. Until the first watch is open, missing permission (401, 403) makes `run` reject instead, for then a person
 * has to do something; unless it is to wait for that. What was reported stays while permission is missing.
 */
export class Informer {
  readonly kind: Kind;
  readonly #options: InformerOptions;
  readonly #timing: InformerTiming;
  /** What was reported and not deleted, by key. The objects are shared with the handler. */
  readonly #known = new Map<string, KubernetesObject>();
  readonly #retry: Backoff;
  readonly #look: Looks;
  readonly #versions: KindVersions;
  #resourceVersion: string | undefined;
  #synced = false;
  /** Until the first watch is open, or the kind turned out to be missing. */
  #starting = true;
  #missing = false;
  #forbidden = false;
  /** The server sent one, and no watch was silent since. */
  #sendsBookmarks = false;
  /** 404s in a row. */
  #notFound = 0;
  #state: InformerState = 'listing';

  constructor(options: InformerOptions) {
    this.kind = options.kind;
    this.#versions = new KindVersions(this.kind);
    this.#options = options;
    this.#timing = { ...defaultTiming, ...options.timing };
    const { retryBaseMs, retryMaxMs, missingMaxMs } = this.#timing;
    this.#retry = new Backoff({ baseMs: retryBaseMs, maxMs: retryMaxMs });
    this.#look = new Looks(missingMaxMs);
  }

  get state(): InformerState {
    return this.#state;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#resourceVersion === undefined) await this.#list(signal);
        await this.#watch(signal);
      } catch (caught) {
        if (signal.aborted) break;
        const error = KubeError.from(`informer of ${this.kind.plural}`, caught);
        if (error.code === 'timeout') this.#sendsBookmarks = false;
        if (this.#starting && this.#needsPerson(error)) throw error;
        await this.#recover(error, signal);
      }
    }
    this.#enter('stopped');
  }

  #needsPerson({ code }: KubeError): boolean {
    return code === 'unauthorized' || (code === 'forbidden' && !this.#options.awaitsPermission);
  }

  async #list(signal: AbortSignal): Promise<void> {
    this.#enter('listing');
    const started = performance.now();
    const unseen = new Set(this.#known.keys());
    // A continue token that expired while paging is not a stale watch: the rest is requested without pages.
    const resourceVersion = await this.#pages(signal, unseen, this.#timing.pageSize).catch((error: unknown) => {
      if (error instanceof KubeError && error.code === 'expired') return this.#pages(signal, unseen, undefined);
      throw error;
    });
    for (const key of unseen) this.#forget(key);
    this.#resourceVersion = resourceVersion;
    this.#options.hooks?.listed?.(this.kind, this.#known.size, performance.now() - started);
    this.#foundAgain();
    this.#notifySynced();
  }

  /** Reports every object of the list, takes its key out of `unseen`, and gives the version to watch from. */
  async #pages(signal: AbortSignal, unseen: Set<string>, limit: number | undefined): Promise<string> {
    const { client, ...selection } = selected(this.#options);
    let next = '';
    for (;;) {
      const page = await client.listPage(this.#versions.current, {
        ...selection,
        signal,
        continue: next,
        ...(limit === undefined ? {} : { limit }),
      });
      for (const raw of page.items) {
        unseen.delete(keyOf(raw));
        this.#upsert(raw);
      }
      if (page.continue === '') return page.resourceVersion;
      next = page.continue;
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { client, ...selection } = selected(this.#options);
    const { watchSeconds, idleMs, shortMs } = this.#timing;
    let opened: number | undefined;
    let events = 0;
    const onOpen = () => {
      opened = performance.now();
      this.#starting = false;
      this.#notifyPermitted();
      this.#enter('watching');
    };
    const timeoutSeconds = Math.ceil(watchSeconds * (1 + Math.random()));
    const resourceVersion = this.#resourceVersion as string;
    const options = {
      ...selection,
      resourceVersion,
      timeoutSeconds,
      idleMs,
      sendsBookmarks: this.#sendsBookmarks,
      signal,
      onOpen,
    };
    const isShort = () => events === 0 && (opened === undefined || performance.now() - opened < shortMs);
    try {
      await client.watch(this.#versions.current, options, (event) => {
        events += 1;
        this.#take(event);
      });
    } finally {
      if (!isShort()) this.#retry.reset();
    }
    if (isShort() && !signal.aborted) await this.#wait('ended', undefined, signal);
  }

  #take({ type, object }: WatchEvent): void {
    this.#resourceVersion = object.metadata.resourceVersion;
    if (type === 'DELETED') this.#forget(keyOf(object), object);
    else if (type === 'BOOKMARK') this.#sendsBookmarks = true;
    else this.#upsert(object);
  }

  /** Reports what is new about an object. A name that came back with another uid was deleted in between. */
  #upsert(raw: KubernetesObject): void {
    const key = keyOf(raw);
    const before = this.#known.get(key);
    if (before !== undefined && before.metadata.resourceVersion === raw.metadata.resourceVersion) return;
    const replaced = before !== undefined && before.metadata.uid !== raw.metadata.uid;
    if (replaced) this.#forget(key);
    const object = prune(this.kind, raw);
    this.#known.set(key, object);
    this.#notify((handler) => (before === undefined || replaced ? handler.added(object) : handler.modified(object)));
  }

  #forget(key: string, last?: KubernetesObject): void {
    const before = this.#known.get(key);
    if (before === undefined) return;
    this.#known.delete(key);
    const object = last === undefined ? before : prune(this.kind, last);
    this.#notify((handler) => handler.deleted(object));
  }

  async #recover(error: KubeError, signal: AbortSignal): Promise<void> {
    switch (error.code) {
      case 'not-found':
        this.#resourceVersion = undefined;
        return this.#versions.next() ? undefined : await this.#awaitKind(error, signal);
      case 'forbidden':
        if (!this.#options.awaitsPermission) return await this.#wait(error.code, error, signal);
        return await this.#awaitPermission(error, signal);
      case 'expired':
        this.#resourceVersion = undefined;
        return await this.#wait('expired', error, signal);
      case 'malformed':
        // What came before the broken line was taken; what it said is lost, so compare the whole.
        this.#resourceVersion = undefined;
        return await this.#wait('malformed', error, signal);
      default:
        return await this.#wait(error.code, error, signal);
    }
  }

  async #awaitKind(error: KubeError, signal: AbortSignal): Promise<void> {
    this.#notFound += 1;
    // With objects known, a 404 is more likely from something between us and the API server: the removal of a definition first reports
    // the deletion of every object. Taking its word would stop all traffic.
    if (this.#known.size > 0 && this.#notFound < notFoundToBelieve) return await this.#wait('not-found', error, signal);
    this.#notifyPermitted();
    const expected = await this.#isExpected();
    if (signal.aborted) return;
    if (!this.#missing) {
      this.#missing = true;
      if (!neverForgotten.has(this.kind.name)) for (const key of [...this.#known.keys()]) this.#forget(key);
      this.#notify((handler) => handler.available(false, this.#missingMessage(expected)));
    }
    if (expected === undefined) {
      this.#starting = false;
      this.#notifySynced();
    }
    this.#enter(expected === undefined ? 'missing' : 'waiting');
    await sleep(this.#look.next(), signal);
  }

  /** Why a kind that was not served since the start has to be; undefined: it may be missing. Where that cannot be found out, it counts as expected. */
  async #isExpected(): Promise<string | undefined> {
    if (this.#synced || !neverForgotten.has(this.kind.name)) return undefined;
    return await this.#options.expected?.(this.kind).catch((error: unknown) => {
      const { message } = KubeError.from(`whether there were ${this.kind.plural}`, error);
      return `nothing is served until it is known whether there were any: ${message}`;
    });
  }

  async #awaitPermission(error: KubeError, signal: AbortSignal): Promise<void> {
    const waitMs = this.#look.next(error.retryAfterMs);
    if (!this.#forbidden) {
      this.#forbidden = true;
      this.#options.hooks?.restarted?.(this.kind, 'forbidden', waitMs, error);
      this.#notify((handler) => handler.permitted?.(false, error.message));
    }
    this.#enter('waiting');
    await sleep(waitMs, signal);
  }

  #notifyPermitted(): void {
    if (!this.#forbidden) return;
    this.#forbidden = false;
    this.#look.reset();
    this.#notify((handler) => handler.permitted?.(true, ''));
  }

  #foundAgain(): void {
    if (!this.#forbidden) this.#look.reset();
    this.#notFound = 0;
    this.#versions.served();
    if (!this.#missing) return;
    this.#missing = false;
    this.#notify((handler) => handler.available(true, ''));
  }

  #missingMessage(expected: string | undefined): string {
    const { group, version, plural } = this.kind;
    const kept = this.#known.size > 0 ? `; the last known ${this.#known.size} stay in force` : '';
    const why = expected === undefined ? kept : `; ${expected}`;
    return `the API server does not serve ${plural}.${group || 'core'}/${version}: install its CustomResourceDefinition, no restart is needed${why}`;
  }

  #notifySynced(): void {
    if (this.#synced) return;
    this.#synced = true;
    this.#notify((handler) => handler.synced());
  }

  async #wait(reason: RestartReason, error: KubeError | undefined, signal: AbortSignal): Promise<void> {
    const waitMs = this.#retry.next(error?.retryAfterMs);
    this.#options.hooks?.restarted?.(this.kind, reason, waitMs, error);
    this.#enter('waiting');
    await sleep(waitMs, signal);
  }

  #enter(state: InformerState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.hooks?.stateChanged?.(this.kind, state);
  }

  #notify(call: (handler: InformerHandler) => void): void {
    try {
      call(this.#options.handler);
    } catch (error) {
      this.#options.hooks?.handlerFailed?.(this.kind, error);
    }
  }
}

/** Waits, or returns at once when the signal says so. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);

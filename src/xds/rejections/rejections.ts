import { isBindError } from '../../contracts/index.ts';
import type { EnvoyResource, Origin, Provenance } from '../../translate/index.ts';
import { bisectRejection, type Probing, type RejectionCause } from './bisect.ts';
import type { Batch } from './split-rejected.ts';

/** A piece of content that a client rejects for sure. */
export interface Rejection {
  readonly origin: Origin;
  /** The client's words. */
  readonly message: string;
  /** Name of the resource it was found in. */
  readonly resource: string;
  /** It, or something else that was found in that resource with it. */
  readonly isSuspected?: true;
}

/** A piece of content that a client rejects, as long as it does. */
export interface ClientRejection extends Origin {
  /** Of the resource that it was first rejected in. */
  readonly typeUrl: string;
  /** The client's words, on one line and cut (rejectionWords). */
  readonly message: string;
  readonly since: Date;
  /** It is not rejected: it waits for a trial (`running`), or was sent without one (`none`). */
  readonly trial?: 'running' | 'none';
}

interface Search {
  readonly name: string;
  readonly provenance: Provenance;
  /** Why the whole was rejected. */
  readonly message: string;
  readonly probing: Probing<readonly RejectionCause[]>;
  /** Keys of the probe that is due or under way. */
  keys: readonly string[];
}

/**
 * Whose fault it is that a client rejects resources of one type. A resource goes *rejected* → *searched*, one at a time →
 * the origins at fault are *found*. A resource that changes and is rejected again while it is searched is searched once more
 * afterwards, the newest only; one that the client took is not searched any more.
 *
 * Every probe has the same name, so that a client has at most one of them, and it is removed when nothing is searched.
 */
export class Rejections {
  readonly #waiting = new Map<string, { provenance: Provenance; message: string; taken: Provenance | undefined }>();
  #search: Search | undefined;
  #outstanding: Search | undefined;
  #lastWasProbe = false;
  /** Name of the probe that the client was sent last. */
  #held: string | undefined;
  #sent = '';
  #found: Rejection[] = [];

  /** There is a probe to send, or one to take away. */
  get waiting(): boolean {
    return this.#search !== undefined || this.#held !== undefined;
  }

  /** The client rejects the resource, and whatever else it was sent with is not to blame. `taken` is the last one of its name that any client took. */
  add({ name, provenance }: EnvoyResource, message: string, taken?: EnvoyResource): void {
    if (!provenance) return;
    // Nothing of what is in it decides whether its place is free.
    const whole = isBindError(message) ? provenance.whole?.() : undefined;
    if (whole) {
      this.drop(name);
      this.#found.push({ origin: whole, message, resource: name });
      return;
    }
    this.#waiting.set(name, { provenance, message, taken: taken?.provenance });
    this.#next();
  }

  /** The client took a resource of this name, or wants none any more. */
  drop(name: string): void {
    this.#waiting.delete(name);
    if (this.#search?.name === name) this.#search = undefined;
    this.#next();
  }

  /** The next probe. It lets other content go first (`others`: there is some) every second time. */
  take(others: boolean): Batch | undefined {
    const giveWay = others && this.#lastWasProbe;
    this.#lastWasProbe = !giveWay && this.waiting;
    if (giveWay || !this.waiting) return undefined;
    this.#outstanding = this.#search;
    if (!this.#search) return { upserts: [], removed: [this.#held as string] };
    const probe = this.#search.provenance.probe?.(new Set(this.#search.keys)) as EnvoyResource;
    this.#sent = probe.name;
    return { upserts: [probe], removed: [] };
  }

  /** The client's answer to what `take` gave; `error` when it rejected it. */
  answered(error: string | undefined): void {
    const search = this.#outstanding;
    this.#outstanding = undefined;
    // Rejected ones too: a data-plane agent remembers what Envoy rejected, to offer it again, until it hears that it is not wanted.
    this.#held = search ? this.#sent : undefined;
    if (search && search === this.#search) this.#step(search, search.probing.next(error));
    this.#next();
  }

  /** What was found since the last call. */
  takeFound(): readonly Rejection[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #next(): void {
    for (const [name, { provenance, message, taken }] of this.#waiting) {
      if (this.#search) return;
      this.#waiting.delete(name);
      const probing = bisectRejection(provenance, message, taken);
      this.#search = { name, provenance, message, probing, keys: [] };
      this.#step(this.#search, probing.next());
    }
  }

  #step(search: Search, { done, value }: IteratorResult<readonly string[], readonly RejectionCause[]>): void {
    if (!done) {
      search.keys = value;
      return;
    }
    this.#search = undefined;
    const whole = value.length === 0 ? search.provenance.whole?.() : undefined;
    const { name: resource } = search;
    if (whole) this.#found.push({ origin: whole, message: search.message, resource });
    const isSuspected = !search.provenance.probe && value.length > 1;
    for (const origin of search.provenance.origins()) {
      const message = value.find(({ key }) => key === origin.key)?.message;
      if (message !== undefined) this.#found.push({ origin, message, resource, ...(isSuspected && { isSuspected }) });
    }
  }
}

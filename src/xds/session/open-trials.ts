import type { EnvoyResource, Trial } from '../../translate/index.ts';
import type { ClientRejection } from '../rejections/rejections.ts';
import { type Place, placeIn, placeOf } from './place.ts';

/** A trial that has not ended. */
export interface OpenTrial {
  readonly key: string;
  readonly trial: Trial;
  /** As readers see it meanwhile. */
  readonly rejection: ClientRejection;
  /** Since when the client is behind for it. */
  readonly epoch: number;
  /** Resources that have it. */
  readonly places: Set<string>;
  /** What is tried: the resource, or the same without it. */
  content: EnvoyResource;
  /** What Envoy said against it, while the resource without it is tried. */
  message: string | undefined;
  firstSeenMs: number | undefined;
  isOverdue: boolean;
}

interface Outstanding {
  readonly nonce: string;
  readonly trials: readonly OpenTrial[];
  readonly sentMs: number;
}

/** Trials that wait, and those that the client has not answered. */
export class OpenTrials {
  readonly #byKey = new Map<string, OpenTrial>();
  /** Parts of batches that were rejected, and trials of resources without what is at fault: each by itself. */
  #apart: (readonly OpenTrial[])[] = [];
  /** Keys of those that are in no batch yet. */
  readonly #waiting = new Set<string>();
  #outstanding: Outstanding | undefined;

  get size(): number {
    return this.#byKey.size;
  }

  /** The client has yet to answer. */
  get isAsked(): boolean {
    return this.#outstanding !== undefined;
  }

  get since(): number {
    let since = Number.POSITIVE_INFINITY;
    for (const { epoch } of this.#byKey.values()) since = Math.min(since, epoch);
    return since;
  }

  list(): Iterable<OpenTrial> {
    return this.#byKey.values();
  }

  /** Whether it is new. */
  add(key: string, { trial, ...facts }: Pick<OpenTrial, 'trial' | 'rejection' | 'epoch'>, place: string): boolean {
    const known = this.#byKey.get(key);
    known?.places.add(place);
    if (known) return false;
    const times = { firstSeenMs: undefined, isOverdue: false };
    const open = {
      key,
      trial,
      ...facts,
      places: new Set([place]),
      content: trial.content(),
      message: undefined,
      ...times,
    };
    this.#byKey.set(key, open);
    this.#waiting.add(key);
    return true;
  }

  /** The place has nothing more of any but these. Whether that ended some. */
  untie(place: string, left: ReadonlySet<string>): boolean {
    let ended = false;
    for (const { key, places } of [...this.#byKey.values()]) {
      if (left.has(key) || !places.delete(place) || places.size > 0) continue;
      this.close(key);
      ended = true;
    }
    return ended;
  }

  /** Gives the places that it had. */
  close(key: string): Place[] {
    const places = [...(this.#byKey.get(key)?.places ?? [])];
    this.#byKey.delete(key);
    this.#waiting.delete(key);
    return places.map(placeIn);
  }

  next(most: number, mostBytes: number, sizeOf: (resource: EnvoyResource) => number): readonly OpenTrial[] | undefined {
    if (this.#outstanding) return undefined;
    for (let part = this.#apart.shift(); part; part = this.#apart.shift()) {
      const left = part.filter(({ key }) => this.#byKey.has(key));
      if (left.length > 0) return left;
    }
    const batch: OpenTrial[] = [];
    const places = new Set<string>();
    let bytes = 0;
    for (const key of this.#waiting) {
      const open = this.#byKey.get(key) as OpenTrial;
      const place = placeOf(open.content);
      bytes += sizeOf(open.content);
      // Two editions of one resource, or two sets of routes, are no one configuration.
      if (places.has(place)) continue;
      if (batch.length > 0 && (batch.length === most || bytes > mostBytes)) break;
      places.add(place);
      batch.push(open);
    }
    for (const { key } of batch) this.#waiting.delete(key);
    return batch.length > 0 ? batch : undefined;
  }

  sent(trials: readonly OpenTrial[], nonce: string, sentMs: number): void {
    this.#outstanding = { nonce, trials, sentMs };
  }

  /** What the client was asked that has not ended otherwise; undefined: that is not what it was asked last. */
  answered(nonce: string): readonly OpenTrial[] | undefined {
    if (this.#outstanding?.nonce !== nonce) return undefined;
    const { trials } = this.#outstanding;
    this.#outstanding = undefined;
    return trials.filter((open) => this.#byKey.get(open.key) === open);
  }

  /** Some of them are at fault. */
  split(trials: readonly OpenTrial[]): void {
    const middle = Math.ceil(trials.length / 2);
    this.#apart.unshift(trials.slice(0, middle), trials.slice(middle));
  }

  /** The resource without it is tried next. */
  control(open: OpenTrial, content: EnvoyResource, message: string): void {
    open.content = content;
    open.message = message;
    this.#apart.unshift([open]);
  }

  /** Since when the client owes an answer, or the first trial waits for its being asked. */
  waitsSince(nowMs: number): number {
    if (this.#outstanding) return this.#outstanding.sentMs;
    let since = nowMs;
    for (const open of this.#byKey.values()) {
      open.firstSeenMs ??= nowMs;
      since = Math.min(since, open.firstSeenMs);
    }
    return since;
  }

  isOverdueAt(place: string): boolean {
    return this.#byKey.values().some(({ isOverdue, places }) => isOverdue && places.has(place));
  }

  /** Places of trials that last for longer than that, once. */
  overdue(nowMs: number, mostMs: number): Place[] {
    const due: Place[] = [];
    for (const open of this.#byKey.values()) {
      open.firstSeenMs ??= nowMs;
      if (open.isOverdue || nowMs - open.firstSeenMs < mostMs) continue;
      open.isOverdue = true;
      due.push(...[...open.places].map(placeIn));
    }
    return due;
  }
}

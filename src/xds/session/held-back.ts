import { isBindError, rejectionWords } from '../../contracts/index.ts';
import type { EnvoyResource, Origin } from '../../translate/index.ts';
import type { ClientRejection, Rejection } from '../rejections/rejections.ts';
import { originKey } from './origin-key.ts';
import { type Place, placeIn, placeOf } from './place.ts';
import type { Trials } from './trials.ts';

/** Who rejects more pieces of content than that is sent what it has not rejected in their present version, and no more is found out. */
const most = 512;
const none: ReadonlySet<string> = new Set();

interface Entry {
  readonly rejection: ClientRejection;
  /** It is not held back, but sent again from time to time. */
  readonly isBindError: boolean;
  /** Resources that have the content, as far as they were met. */
  readonly places: Set<string>;
}

/**
 * What one client rejects for certain, and is therefore not sent: content by its digest, so that changed content goes out like any
 * other. Nothing of it is for other clients. A rejection ends when the content is gone from all resources that had it, when the
 * client takes it after all, or with the stream.
 */
export class HeldBack {
  /** By kind, key and digest. */
  readonly #entries = new Map<string, Entry>();
  readonly #byPlace = new Map<string, Set<string>>();
  readonly #trials: Pick<Trials, 'waitingIn' | 'keeps'> | undefined;

  constructor(trials?: Pick<Trials, 'waitingIn' | 'keeps'>) {
    this.#trials = trials;
  }

  get size(): number {
    return this.#entries.size;
  }

  *list(): Generator<ClientRejection> {
    for (const { rejection } of this.#entries.values()) yield rejection;
  }

  /** Whether it is news. */
  add({ origin, message, resource }: Rejection, typeUrl: string, since: Date): ClientRejection | undefined {
    const key = originKey(origin);
    const known = this.#entries.get(key);
    if (!known && this.#entries.size >= most) return undefined;
    const rejection = { ...origin, typeUrl, message: rejectionWords(message), since };
    const entry = known ?? { rejection, isBindError: isBindError(message), places: new Set() };
    this.#entries.set(key, entry);
    this.#tie(key, entry, { typeUrl, name: resource });
    return known ? undefined : rejection;
  }

  /**
   * What of a resource the client is to get: the resource, the same without what it rejects or what is not tried yet, or nothing. `asked`: the client asks for
   * it, and cannot keep what it has.
   */
  offer(resource: EnvoyResource, asked = false): EnvoyResource | undefined {
    const waiting = this.#trials?.waitingIn(resource, (origin) => this.#entries.has(originKey(origin))) ?? none;
    if (waiting.size === 0 && this.#entries.size === 0) return resource;
    if (waiting.size > 0 && !asked && this.#trials?.keeps(resource)) return undefined;
    const isHeld = (origin: Origin) =>
      this.#holds(origin, resource) || (origin.kind === 'patch' && waiting.has(origin.key));
    const whole = resource.provenance?.whole?.();
    return whole && isHeld(whole) ? undefined : withoutOrigins(resource, isHeld);
  }

  /** The client took the resource, so it rejects nothing of it. Gives what it does not reject any more. */
  taken(resource: EnvoyResource): ClientRejection[] {
    return this.#end(resource, (key) => contains(resource, key));
  }

  /** What the resource is from now on; undefined: it is gone, or the client does not want it. Gives what is over with that. */
  changed(place: Place, after: EnvoyResource | undefined): ClientRejection[] {
    const keys = [...(this.#byPlace.get(placeOf(place)) ?? [])];
    for (const key of keys) if (!after || !contains(after, key)) this.#untie(key, placeOf(place));
    return this.#dropUntied(keys);
  }

  /** Forgets everything. Gives the resources that had some of it. */
  clear(): Place[] {
    const places = [...this.#byPlace.keys()].map(placeIn);
    this.#entries.clear();
    this.#byPlace.clear();
    return places;
  }

  #holds(origin: Origin, place: Place): boolean {
    const key = originKey(origin);
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#tie(key, entry, place);
    return !entry.isBindError;
  }

  #end(place: Place, isOver: (key: string) => boolean): ClientRejection[] {
    const over = [...(this.#byPlace.get(placeOf(place)) ?? [])].filter(isOver);
    const ended = over.flatMap((key) => this.#entries.get(key)?.rejection ?? []);
    for (const key of over) {
      for (const each of this.#entries.get(key)?.places ?? []) this.#untie(key, each);
      this.#entries.delete(key);
    }
    return ended;
  }

  #dropUntied(keys: readonly string[]): ClientRejection[] {
    return keys.flatMap((key) => {
      const entry = this.#entries.get(key);
      if (!entry || entry.places.size > 0) return [];
      this.#entries.delete(key);
      return [entry.rejection];
    });
  }

  #tie(key: string, { places }: Entry, place: Place): void {
    const text = placeOf(place);
    places.add(text);
    const known = this.#byPlace.get(text);
    if (known) known.add(key);
    else this.#byPlace.set(text, new Set([key]));
  }

  #untie(key: string, place: string): void {
    this.#entries.get(key)?.places.delete(place);
    const keys = this.#byPlace.get(place);
    keys?.delete(key);
    if (keys?.size === 0) this.#byPlace.delete(place);
  }
}

function contains({ provenance }: EnvoyResource, key: string): boolean {
  const whole = provenance?.whole?.();
  if (whole && originKey(whole) === key) return true;
  return provenance?.origins().some((origin) => originKey(origin) === key) ?? false;
}

/** What is left of a resource without these origins; undefined: nothing that can be sent. `keys` are their Origin.key. */
export const resourceWithout = (
  resource: EnvoyResource,
  keys: ReadonlySet<string>,
  isRejected: (origin: Origin) => boolean,
): EnvoyResource | undefined =>
  resource.provenance?.mayHave?.(keys) === false ? resource : withoutOrigins(resource, isRejected);

function withoutOrigins(resource: EnvoyResource, isRejected: (origin: Origin) => boolean): EnvoyResource | undefined {
  const { provenance, name } = resource;
  const rejected = provenance?.origins().filter(isRejected) ?? [];
  if (!provenance || rejected.length === 0) return resource;
  return provenance.without && variantOf(resource, name, new Set(rejected.map(({ key }) => key)));
}

/** Clients that reject the same are sent the same: it is made once. */
const variants = new WeakMap<EnvoyResource, Map<string, EnvoyResource | undefined>>();
/** Of one resource. Who rejects something else than all others costs an encoding for each change. */
const mostVariants = 8;

function variantOf(resource: EnvoyResource, name: string, keys: ReadonlySet<string>): EnvoyResource | undefined {
  const made = variants.get(resource) ?? new Map<string, EnvoyResource | undefined>();
  variants.set(resource, made);
  const text = [...keys].sort().join('\n');
  if (made.has(text)) return made.get(text);
  const variant = resource.provenance?.without?.(name, keys);
  if (made.size < mostVariants) made.set(text, variant);
  return variant;
}

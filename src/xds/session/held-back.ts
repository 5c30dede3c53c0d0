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
  /** Keys of what is suspected with it; undefined: it is certain. What is suspected is held back only in its places. */
  suspects?: Set<string> | undefined;
  /** Of its places, those that are offered it again while it is suspected. */
  readonly offered: Set<string>;
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

  /** What is certain. */
  *list(): Generator<ClientRejection> {
    for (const { rejection, suspects } of this.#entries.values()) if (!suspects) yield rejection;
  }

  /** Of the resources that have some of it. */
  places(): Place[] {
    return [...this.#byPlace.keys()].map(placeIn);
  }

  /** Whether it is news. */
  add(rejection: Rejection, typeUrl: string, since: Date): ClientRejection | undefined {
    const key = originKey(rejection.origin);
    const known = this.#entries.get(key);
    const entry = this.#put(rejection, typeUrl, since);
    if (!entry || (known && !known.suspects)) return undefined;
    entry.suspects?.delete(key);
    entry.suspects = undefined;
    entry.offered.clear();
    return entry.rejection;
  }

  /** Some of these are at fault in a resource, and it is not known which: all are held back from it, until more is known. */
  suspect(rejections: readonly Rejection[], typeUrl: string, since: Date): void {
    const suspects = new Set<string>();
    for (const rejection of rejections) {
      const key = originKey(rejection.origin);
      const isCertain = this.#entries.has(key) && !this.#entries.get(key)?.suspects;
      const entry = this.#put(rejection, typeUrl, since);
      if (!entry || isCertain) continue;
      entry.suspects?.delete(key);
      entry.suspects = suspects.add(key);
      entry.offered.delete(placeOf({ typeUrl, name: rejection.resource }));
    }
  }

  /** The client took a resource without what is suspected in it: half of what is suspected together is to be offered again. Whether there is any. */
  offerSome(place: Place): boolean {
    const text = placeOf(place);
    for (const key of this.#byPlace.get(text) ?? []) {
      const { suspects } = this.#entries.get(key) ?? {};
      if (!suspects) continue;
      for (const each of [...suspects].slice(0, Math.ceil(suspects.size / 2)))
        this.#entries.get(each)?.offered.add(text);
      return true;
    }
    return false;
  }

  #put({ origin, message, resource }: Rejection, typeUrl: string, since: Date): Entry | undefined {
    const key = originKey(origin);
    const known = this.#entries.get(key);
    if (!known && this.#entries.size >= most) return undefined;
    const rejection = { ...origin, typeUrl, message: rejectionWords(message), since };
    const entry = known ?? { rejection, isBindError: isBindError(message), places: new Set(), offered: new Set() };
    this.#entries.set(key, entry);
    this.#tie(key, entry, { typeUrl, name: resource });
    return entry;
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

  /** The client took the resource, so it rejects nothing of it. Gives what it does not reject any more, and the other resources that have some of that. */
  taken(resource: EnvoyResource): { readonly relented: readonly ClientRejection[]; readonly places: readonly Place[] } {
    const here = placeOf(resource);
    const over = [...(this.#byPlace.get(here) ?? [])].filter((key) => contains(resource, key));
    const ended = over.flatMap((key) => this.#entries.get(key) ?? []);
    const places = new Set(ended.flatMap((entry) => [...entry.places]));
    for (const key of over) this.#end(key);
    places.delete(here);
    return {
      relented: ended.flatMap(({ rejection, suspects }) => (suspects ? [] : rejection)),
      places: [...places].map(placeIn),
    };
  }

  /** What the resource is from now on; undefined: it is gone, or the client does not want it. Gives what is over with that. */
  changed(place: Place, after: EnvoyResource | undefined): ClientRejection[] {
    const keys = [...(this.#byPlace.get(placeOf(place)) ?? [])];
    for (const key of keys) if (!after || !contains(after, key)) this.#untie(key, placeOf(place));
    return this.#dropUntied(keys);
  }

  /** Forgets everything. Gives the resources that had some of it. */
  clear(): Place[] {
    const places = this.places();
    this.#entries.clear();
    this.#byPlace.clear();
    return places;
  }

  #holds(origin: Origin, place: Place): boolean {
    const key = originKey(origin);
    const entry = this.#entries.get(key);
    if (!entry) return false;
    const text = placeOf(place);
    if (entry.suspects && (!entry.places.has(text) || entry.offered.has(text))) return false;
    this.#tie(key, entry, place);
    return !entry.isBindError;
  }

  #end(key: string): void {
    const { suspects, places = [] } = this.#entries.get(key) ?? {};
    suspects?.delete(key);
    for (const each of places) this.#untie(key, each);
    this.#entries.delete(key);
  }

  #dropUntied(keys: readonly string[]): ClientRejection[] {
    return keys.flatMap((key) => {
      const entry = this.#entries.get(key);
      if (!entry || entry.places.size > 0) return [];
      this.#end(key);
      return entry.suspects ? [] : [entry.rejection];
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
    this.#entries.get(key)?.offered.delete(place);
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

import { typeUrls } from '../../envoy/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { Batch } from '../rejections/split-rejected.ts';
import { besideHeld } from './beside.ts';
import type { Channel } from './channel.ts';
import { FilterChains } from './filter-chains.ts';
import type { Place } from './place.ts';
import type { View } from './view.ts';

type Typed = Pick<Channel, 'typeUrl'>;

/** The filter chains of one session's client, by what happens on its channels: only those of extensions count. */
export class ClientChains {
  readonly filterChains = new FilterChains();
  readonly #channels: ReadonlyMap<string, Channel>;

  constructor(channels: ReadonlyMap<string, Channel>) {
    this.#channels = channels;
  }

  /** The client says that it has these (name → version) from an earlier stream. */
  has({ typeUrl }: Typed, versions: ReadonlyMap<string, string>, view: View): void {
    if (typeUrl !== typeUrls.extension) return;
    this.filterChains.has(versions, {
      chain: (name) => view.find(typeUrl, name),
      demand: (digest) => view.group.formerDemands.find(digest),
    });
  }

  /** The client may have these from an earlier stream, and cannot say so. */
  mayHave({ typeUrl }: Typed, names: Iterable<string>): void {
    if (typeUrl === typeUrls.extension) this.filterChains.mayHave(names);
  }

  /** The client has these from now on. */
  taken({ typeUrl }: Typed, { upserts, removed }: Batch): void {
    if (typeUrl !== typeUrls.extension) return;
    for (const resource of upserts) this.filterChains.taken(resource);
    for (const name of removed) this.filterChains.gone(name);
  }

  /** The client does not want it any more. */
  dropped({ typeUrl }: Typed, name: string): void {
    if (typeUrl === typeUrls.extension) this.filterChains.gone(name);
  }

  /** Some have demands of former chains, and the client, which came back with these, has not said yet which scopes it has. */
  get awaitsScopes(): boolean {
    return this.filterChains.hasFormer && !this.#channels.has(typeUrls.scopedRoute);
  }

  /** Puts those up again that have demands of former chains, without these. To be called while the client has taken all scopes. */
  dropFormer(view: View): void {
    if (this.awaitsScopes) return;
    const typeUrl = typeUrls.extension;
    const chains = this.filterChains.takeFormer().flatMap((name) => this.find({ typeUrl, name }, view) ?? []);
    for (const chain of chains) this.#put(this.filterChains.withoutFormer(chain), view);
  }

  /** Puts up what the client was prepared for. */
  finish(view: View): void {
    for (const resource of this.filterChains.takeDue())
      this.#channels.get(typeUrls.extension)?.outbox.putNext(resource, view.snapshotVersion.epoch);
  }

  /** The resource as the client is to have it. What is published no more may come with a chain that has outlasted it. */
  find({ typeUrl, name }: Place, view: View): EnvoyResource | undefined {
    const published = view.find(typeUrl, name);
    if (published || typeUrl !== typeUrls.extension) return published;
    return besideHeld(name, (chain) => this.#fitting(chain, view));
  }

  /** A chain that the client has, as it is sent it. */
  #fitting(name: string, view: View): EnvoyResource | undefined {
    const chain = this.filterChains.held.has(name) ? view.find(typeUrls.extension, name) : undefined;
    return chain && this.filterChains.fit(chain);
  }

  #put(chain: EnvoyResource, view: View): void {
    this.#channels.get(typeUrls.extension)?.outbox.putAsItIs(chain, view.snapshotVersion.epoch);
  }

  /** Puts those up again that have slots which nothing of the client fills any more, without these. Whether there were any. */
  narrow(view: View, nowMs: number, lingerMs: number): boolean {
    const names = this.filterChains.takeSurplus(nowMs, lingerMs);
    const chains: EnvoyResource[] = names.flatMap((name) => view.find(typeUrls.extension, name) ?? []);
    for (const chain of chains) this.#put(chain, view);
    return chains.length > 0;
  }
}

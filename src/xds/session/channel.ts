import { typeUrls } from '../../envoy/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';
import type { Batch } from '../rejections/split-rejected.ts';
import type { FilterChains } from './filter-chains.ts';
import type { HeldBack } from './held-back.ts';
import { Outbox } from './outbox.ts';
import { versionWithChains } from './sotw-chains.ts';
import { Subscription } from './subscription.ts';
import type { TakenBodies } from './taken-bodies.ts';
import { type TypeTraits, traitsOf } from './type-traits.ts';
import { encodeDeltaResponse, encodeSotwResponse } from './wire.ts';

export type Variant = 'delta' | 'sotw';

/** One type on one stream: what the client wants of it, what is to be sent, and how that is written. */
export abstract class Channel {
  readonly typeUrl: string;
  readonly traits: TypeTraits;
  readonly subscription: Subscription;
  readonly outbox: Outbox;
  /** Nonce of the last response. */
  lastNonce = '';

  readonly #hasGeo: boolean;

  /** `heldBack`: what the client rejects of any type; `chains`: the filter chains that it has. */
  constructor(
    typeUrl: string,
    intern: (name: string) => string,
    heldBack: HeldBack,
    chains: FilterChains,
    hasGeo: boolean,
  ) {
    this.#hasGeo = hasGeo;
    this.typeUrl = typeUrl;
    this.traits = traitsOf(typeUrl);
    this.subscription = new Subscription(intern);
    this.outbox = new Outbox(this.traits, heldBack, chains);
  }

  /** As this client is sent it. */
  protected readonly forClient = (resource: EnvoyResource): EnvoyResource =>
    this.#hasGeo ? resource : (resource.withoutGeo ?? resource);

  /** Every response repeats all the client is to have. */
  abstract readonly repeatsAll: boolean;
  abstract encode(batch: Batch, nonce: string, version: string): Buffer;
  /** The client has taken the batch: it acknowledged it, or it is what it took of one that it rejected. */
  abstract accepted(batch: Batch): void;
  /** The client gave up the name. */
  abstract dropped(name: string): void;
  /** The client asks for the name: what it was sent before does not count. */
  abstract asked(name: string): void;
  /** The client has this from an earlier stream. */
  abstract has(resource: EnvoyResource): void;
}

/** Delta: the client keeps count of what it has, and a response says only what changes. */
export class DeltaChannel extends Channel {
  readonly repeatsAll = false;
  readonly #bodies: TakenBodies | undefined;

  /** `bodies`: for a type of which the client takes patches. */
  constructor(bodies: TakenBodies | undefined, ...parts: ConstructorParameters<typeof Channel>) {
    super(...parts);
    this.#bodies = bodies;
  }

  encode({ upserts: wanted, removed }: Batch, nonce: string, version: string): Buffer {
    const bodies = this.#bodies;
    const upserts = bodies ? wanted.map((resource) => bodies.sent(resource)) : wanted.map(this.forClient);
    const asEmpty = this.traits.absentAsEmpty;
    return encodeDeltaResponse({
      typeUrl: this.typeUrl,
      nonce,
      systemVersion: version,
      upserts,
      removed: asEmpty ? [] : removed,
      empty: asEmpty ? removed : [],
    });
  }

  accepted(batch: Batch): void {
    this.#bodies?.taken(batch);
  }

  dropped(name: string): void {
    this.#bodies?.dropped(name);
  }

  asked(name: string): void {
    this.#bodies?.asked(name);
  }

  has(resource: EnvoyResource): void {
    this.#bodies?.has(resource);
  }
}

/**
 * State of the world: a response of a full-state type repeats everything the client is to have, so we remember what it
 * accepted. A rejected resource is left at its former version, as leaving it out would remove it.
 */
export class SotwChannel extends Channel {
  readonly #has = new Map<string, EnvoyResource>();
  readonly #chains: FilterChains;

  constructor(...[typeUrl, intern, heldBack, chains, hasGeo]: ConstructorParameters<typeof Channel>) {
    super(typeUrl, intern, heldBack, chains, hasGeo);
    this.#chains = chains;
  }

  get repeatsAll(): boolean {
    return this.traits.fullState;
  }

  encode(batch: Batch, nonce: string, version: string): Buffer {
    const resources = Iterator.from(this.repeatsAll ? this.#with(batch) : batch.upserts).map(this.forClient);
    const named =
      this.typeUrl === typeUrls.extension
        ? versionWithChains(version, this.#chains.held.versionsWith(batch.upserts))
        : version;
    return encodeSotwResponse({ typeUrl: this.typeUrl, nonce, version: named, resources });
  }

  accepted(batch: Batch): void {
    if (!this.repeatsAll) return;
    for (const resource of batch.upserts) this.#has.set(resource.name, resource);
    for (const name of batch.removed) this.#has.delete(name);
  }

  dropped(name: string): void {
    this.#has.delete(name);
  }

  asked(): void {}

  has(): void {}

  #with(batch: Batch): Iterable<EnvoyResource> {
    const all = new Map(this.#has);
    for (const resource of batch.upserts) {
      // Behind what it may lead to: Envoy takes them in this order.
      all.delete(resource.name);
      all.set(resource.name, resource);
    }
    for (const name of batch.removed) all.delete(name);
    return all.values();
  }
}

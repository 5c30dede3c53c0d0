import type { LeftOut, Origin } from './resource/index.ts';

/** Content that cannot be encoded, such as a number that a field of Envoy has no room for. */
export interface EncodingFault {
  /** ir.Fleet.key. */
  readonly gateway: string;
  readonly origin: Origin;
  readonly message: string;
}

/** What could not be encoded when its place was last made. */
export class EncodingFaults {
  /** By gateway, then by place. */
  readonly #known = new Map<string, Map<string, readonly EncodingFault[]>>();

  *[Symbol.iterator](): Generator<EncodingFault> {
    for (const places of this.#known.values()) for (const faults of places.values()) yield* faults;
  }

  set(gateway: string, place: string, { origins, error }: LeftOut): void {
    const message = error instanceof Error ? error.message : String(error);
    const places = this.#known.get(gateway) ?? new Map<string, readonly EncodingFault[]>();
    const faults = origins.map((origin) => ({ gateway, origin, message }));
    this.#known.set(gateway, places.set(place, faults));
  }

  /** The place was made, or is gone. */
  clear(gateway: string, place: string): void {
    const places = this.#known.get(gateway);
    places?.delete(place);
    if (places?.size === 0) this.#known.delete(gateway);
  }

  forget(gateway: string): void {
    this.#known.delete(gateway);
  }
}

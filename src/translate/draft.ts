import type { EncodingFaults } from './encoding-faults.ts';
import type { EnvoyResource, GatewayChange, LeftOut, Origin } from './resource/index.ts';

interface Entry {
  readonly typeUrl: string;
  readonly name: string;
  readonly resource: EnvoyResource | undefined;
}

/** What one gateway's changes come to, in the making: the last word on each resource counts. */
export class Draft {
  readonly gateway: string;
  readonly #faults: EncodingFaults;
  #resources = new Map<string, Entry>();
  /** Tables whose fallback scope has to be made again, once, whatever number of its hosts changed. */
  readonly fallbacks = new Set<string>();
  /** Tables whose filter chains are to be made again. */
  readonly chains = new Set<string>();
  /** Listeners to be made again, once, for they or hosts of their streams changed. */
  readonly listeners = new Set<string>();
  /** Stream tables whose listeners are to be made again. */
  readonly streams = new Set<string>();
  gone = false;

  constructor(gateway: string, faults: EncodingFaults) {
    this.gateway = gateway;
    this.#faults = faults;
  }

  set(typeUrl: string, name: string, resource: EnvoyResource | undefined): void {
    this.#resources.set(`${typeUrl} ${name}`, { typeUrl, name, resource });
  }

  /**
   * Sets all that `work` sets for a place. Where it throws it sets nothing: proxies keep what they have there, and no other place waits
   * for it. Whether it did not throw.
   *
   * @param origins what is at fault then
   */
  wholly(place: string, origins: () => readonly Origin[], work: () => void): boolean {
    const before = this.#resources;
    const own = new Map<string, Entry>();
    this.#resources = own;
    try {
      work();
      this.judge(place);
    } catch (error) {
      this.judge(place, { origins: origins(), error });
      return false;
    } finally {
      this.#resources = before;
    }
    for (const [key, entry] of own) before.set(key, entry);
    return true;
  }

  /** Says what of a place is left out, or that nothing is. What is of no object is a fault of the whole build. */
  judge(place: string, leftOut?: LeftOut): void {
    if (!leftOut) this.#faults.clear(this.gateway, place);
    else if (leftOut.origins.length === 0) throw leftOut.error;
    else this.#faults.set(this.gateway, place, leftOut);
  }

  finish(): GatewayChange {
    const all = [...this.#resources.values()];
    return {
      gateway: this.gateway,
      upserts: all.flatMap(({ resource }) => resource ?? []),
      removals: all.filter(({ resource }) => !resource).map(({ typeUrl, name }) => ({ typeUrl, name })),
      ...(this.gone && { gone: true }),
    };
  }
}

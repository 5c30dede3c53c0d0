import { networkInterfaces } from 'node:os';

/** How long a look at the interfaces holds. */
const lookMs = 1000;

/** The addresses that this proxy and its control plane have, as of now. Neither is for requests of others. */
export class OwnAddresses {
  readonly #now: () => number;
  readonly #list: typeof networkInterfaces;
  #interfaces: readonly (readonly [string, string])[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #controlPlane: readonly (readonly [string, string])[] = [];
  #all: ReadonlyMap<string, string> = new Map();

  constructor({
    now,
    list = networkInterfaces,
  }: { readonly now: () => number; readonly list?: typeof networkInterfaces }) {
    this.#now = now;
    this.#list = list;
  }

  /** What is known of the control plane: its addresses. */
  setControlPlane(addresses: readonly string[]): void {
    this.#controlPlane = addresses.map((address) => [address, 'an address of the control plane'] as const);
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  /** By address: what to call it. */
  get(): ReadonlyMap<string, string> {
    if (this.#now() - this.#lookedAt < lookMs) return this.#all;
    this.#lookedAt = this.#now();
    const interfaces = Object.values(this.#list()).flatMap((entries) => entries ?? []);
    this.#interfaces = interfaces.map(({ address }) => [address, "this proxy's own address"] as const);
    this.#all = new Map([...this.#interfaces, ...this.#controlPlane]);
    return this.#all;
  }
}

import { networkInterfaces } from 'node:os';

/** Addresses of IPv6 that hold for one link. Those of IPv4 may lead on: some clusters of IPv6 give them to pods. Source: RFC 4291, 2.5.6. */
const linkLocal = /^fe[89ab][0-9a-f]:/i;

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
  #lacksIpv4 = false;

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

  /** This machine has addresses of IPv6 and none of IPv4, beyond its loopback. */
  lacksIpv4(): boolean {
    this.get();
    return this.#lacksIpv4;
  }

  /** By address: what to call it. */
  get(): ReadonlyMap<string, string> {
    if (this.#now() - this.#lookedAt < lookMs) return this.#all;
    this.#lookedAt = this.#now();
    const interfaces = Object.values(this.#list()).flatMap((entries) => entries ?? []);
    this.#interfaces = interfaces.map(({ address }) => [address, "this proxy's own address"] as const);
    const routed = interfaces.filter(({ internal, address }) => !internal && !linkLocal.test(address));
    const families = new Set(routed.map(({ family }) => family));
    this.#lacksIpv4 = families.has('IPv6') && !families.has('IPv4');
    this.#all = new Map([...this.#interfaces, ...this.#controlPlane]);
    return this.#all;
  }
}

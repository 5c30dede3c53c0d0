/** Proxies whose Gateways have moved to other proxies, and that serve on until those do. */
export class DrainingFleets {
  /** By ResolvedFleet.key, the keys of the Gateways that left. */
  readonly #leavers = new Map<string, readonly string[]>();
  /** The other way round; the first fleet that was left is the one that clients know. */
  readonly #fleets = new Map<string, string>();

  /** By fleet, what servedSince says. */
  readonly #served = new Map<string, number>();

  has(fleet: string): boolean {
    return this.#leavers.has(fleet);
  }

  put(fleet: string, leavers: readonly string[]): void {
    this.#leavers.set(fleet, leavers);
    for (const leaver of leavers) if (!this.#fleets.has(leaver)) this.#fleets.set(leaver, fleet);
  }

  /** Since when those who left are served elsewhere, all of them and without a break, in milliseconds; undefined: they are not. */
  servedSince(fleet: string, areServed: boolean, now: number): number | undefined {
    if (!areServed) this.#served.delete(fleet);
    else if (!this.#served.has(fleet)) this.#served.set(fleet, now);
    return this.#served.get(fleet);
  }

  /** Whether it was there. */
  end(fleet: string): boolean {
    this.#served.delete(fleet);
    for (const leaver of this.leaversOf(fleet)) if (this.#fleets.get(leaver) === fleet) this.#fleets.delete(leaver);
    return this.#leavers.delete(fleet);
  }

  leaversOf(fleet: string): readonly string[] {
    return this.#leavers.get(fleet) ?? [];
  }

  fleetLeftBy(gateway: string): string | undefined {
    return this.#fleets.get(gateway);
  }

  list(): (readonly [fleet: string, leavers: readonly string[]])[] {
    return [...this.#leavers];
  }
}

import type { Dirty } from '../engine/index.ts';
import type { Gateways } from '../gateways/index.ts';
import type { DatabaseTrouble } from '../model/index.ts';

export interface DatabaseTroublesDeps {
  readonly dirty: Dirty;
  readonly gateways: Gateways;
}

/** Databases of places that proxies cannot use, as these report it. A change marks the DataPlanes that name them. */
export class DatabaseTroubles {
  readonly #deps: DatabaseTroublesDeps;
  /** By ResolvedFleet.key. */
  readonly #byFleet = new Map<string, readonly DatabaseTrouble[]>();

  constructor(deps: DatabaseTroublesDeps) {
    this.#deps = deps;
  }

  /** At the proxies of a Gateway. */
  at(gateway: string): readonly DatabaseTrouble[] {
    const fleet = this.#deps.gateways.find(gateway)?.fleet;
    return (fleet === undefined ? undefined : this.#byFleet.get(fleet)) ?? [];
  }

  set(fleet: string, troubles: readonly DatabaseTrouble[]): void {
    if (troubles.length > 0) this.#byFleet.set(fleet, troubles);
    else this.#byFleet.delete(fleet);
    const { dirty, gateways } = this.#deps;
    for (const { parameters } of gateways.loneOf(fleet)) dirty.markStatuses('DataPlane', parameters.dataPlanes);
  }

  /** All of them, by fleet. */
  list(): Iterable<readonly [fleet: string, troubles: readonly DatabaseTrouble[]]> {
    return this.#byFleet;
  }
}

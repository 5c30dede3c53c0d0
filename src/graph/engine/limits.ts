import { BuildFault } from './build-fault.ts';
import { Tally } from './tally.ts';

/** How much one control plane takes on; 0 is no limit. The configuration's `translatorLimits`. */
export interface TranslatorLimits {
  /** Objects of all kinds that are read, in use or not. */
  readonly maxInputObjects: number;
  /** What a snapshot is made of: listeners, hosts, the routes of each host, secrets and backends. */
  readonly maxSnapshotObjects: number;
  /** Addresses of all backends that are in use. */
  readonly maxSnapshotEndpoints: number;
}

export const noLimits: TranslatorLimits = { maxInputObjects: 0, maxSnapshotObjects: 0, maxSnapshotEndpoints: 0 };

const nouns: Readonly<Record<keyof TranslatorLimits, string>> = {
  maxInputObjects: 'objects are read',
  maxSnapshotObjects: 'objects are in the snapshot',
  maxSnapshotEndpoints: 'endpoints are in the snapshot',
};

/** Holds a count against its limit as it changes, and remembers what took it over. */
export class Limit {
  readonly #name: keyof TranslatorLimits;
  readonly #max: number;
  readonly #tally = new Tally();
  #worst = '';

  constructor(name: keyof TranslatorLimits, limits: TranslatorLimits) {
    this.#name = name;
    this.#max = limits[name];
  }

  /** Whether there is one; without it nothing is counted. */
  get isSet(): boolean {
    return this.#max > 0;
  }

  /** `cause` names the changed object as users know it; it is called when the count exceeds the limit. */
  add(namespace: string, by: number, cause: () => string): void {
    if (!this.isSet) return;
    const wasOver = this.#isOver;
    this.#tally.add(namespace, by);
    if (!wasOver && this.#isOver) this.#worst = cause();
  }

  /** Throws a BuildFault when there is too much. */
  check(): void {
    if (!this.#isOver) return;
    const { total } = this.#tally;
    const largest = this.#tally.largest();
    const where = largest ? `, ${largest.count} of them of namespace ${largest.namespace}` : '';
    throw new BuildFault(
      this.#name,
      `translatorLimits.${this.#name}: ${total} ${nouns[this.#name]}, ${total - this.#max} more than the limit of ${this.#max}${where}; ${this.#worst} went over it: remove some, or raise the limit`,
    );
  }

  get #isOver(): boolean {
    return this.isSet && this.#tally.total > this.#max;
  }
}

import type { Availability, Readiness } from '../../admin/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';
import { type BuildFailures, buildFailures } from './build-failures.ts';

const isAvailable: Availability = { available: true, message: '' };

/** How far a control plane has come: what is published, what can be read, why builds fail. */
export class Progress {
  readonly failures: BuildFailures;
  /** By kind; those that are not here are available. */
  readonly availability = new Map<string, Availability>();
  #isPublished = false;
  /** What the first snapshot waits for. */
  #awaited = 'the first list of any kind';
  #kinds: ReadonlySet<string> = new Set();
  #isMoreKnown = true;

  constructor(logger: Logger) {
    this.failures = buildFailures(componentLogger(logger, 'control-plane'));
  }

  /** Whether there was a first snapshot. */
  get isPublished(): boolean {
    return this.#isPublished;
  }

  /** A snapshot was published. Says whether it is the first. */
  published(): boolean {
    const isFirst = !this.#isPublished;
    this.#isPublished = true;
    return isFirst;
  }

  /** The kinds whose first full list is not in yet, by name. */
  waitsFor(kinds: ReadonlySet<string>): void {
    const [first, second, third] = [...kinds].sort();
    const named = [first, second, third].filter((name) => name !== undefined).join(', ');
    const more = kinds.size > 3 ? ` and ${kinds.size - 3} more kinds` : '';
    this.#kinds = new Set(kinds);
    this.#awaited = kinds.size === 0 ? 'the first snapshot to be built' : `the lists of ${named}${more}`;
  }

  /** More objects can be read than before. */
  moreKnown(): void {
    this.#isMoreKnown = true;
  }

  /** Whether more is known than at the call before. */
  takeMoreKnown(): boolean {
    const isMoreKnown = this.#isMoreKnown;
    this.#isMoreKnown = false;
    return isMoreKnown;
  }

  readiness(): Readiness {
    if (this.#isPublished) return { ready: true };
    const missing = [...this.#kinds].map((kind) => this.availabilityOf(kind)).find(({ available }) => !available);
    const why = missing ? `; ${missing.message}` : '';
    return {
      ready: false,
      reason: this.failures.latest ?? `initial resource sync has not finished: waiting for ${this.#awaited}${why}`,
    };
  }

  availabilityOf(kind: string): Availability {
    return this.availability.get(kind) ?? isAvailable;
  }
}

import { BuildFault } from './build-fault.ts';
import type { BuildResult, Graph } from './graph.ts';

export interface BuilderOptions {
  readonly graph: Graph;
  /** Receives each result in order. What it throws fails the build: counted, logged, and tried again with the next change. */
  readonly publish: (result: BuildResult) => void;
  readonly onBuilt?: (durationMs: number, result: BuildResult) => void;
  readonly onFailed?: (error: unknown) => void;
  /** Changes that come within this time of a build that is not yet taken gather until none came for as long. Milliseconds. */
  readonly quietMs: number;
  /** The longest that a gathered change waits. Milliseconds. */
  readonly maxMs: number;
  /** Whether somebody has not taken the last build yet. Without it every build takes `quietMs`. */
  readonly isPushing?: () => boolean;
  readonly now?: () => Date;
}

/**
 * The one rebuild loop. States: `closed` (the first full list is not in; nothing is built), `idle`, `gathering` (a build
 * is due). From idle a change is built at once, at the end of the current turn of the event loop, so that all of a
 * batch is in it. Changes that come while the last build is being taken are a burst's: they gather for a quiet period,
 * and for `maxMs` at most. A proxy that never answers counts for one quiet period.
 */
export class Builder {
  readonly #options: BuilderOptions;
  #open = false;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #due: NodeJS.Timeout | undefined;
  #firstGathered = 0;
  #lastBuilt = Number.NEGATIVE_INFINITY;
  #waiting: (() => void)[] = [];
  #stopped = false;
  /** Why nothing may be published, by what is in the way. */
  readonly #obstacles = new Map<string, string>();

  constructor(options: BuilderOptions) {
    this.#options = options;
  }

  /** Every kind's first full list is in: builds what there is, and from now on every change. */
  open(): void {
    if (this.#open) return;
    this.#open = true;
    this.changed();
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** Something in the graph became dirty. */
  changed(): void {
    if (!this.#open || this.#stopped || this.#immediate) return;
    const now = performance.now();
    if (!this.#timer && !this.#isUnderWay(now)) {
      this.#immediate = setImmediate(() => this.#build());
      return;
    }
    if (!this.#timer) this.#firstGathered = now;
    const latest = this.#firstGathered + this.#options.maxMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#build(), Math.max(0, Math.min(this.#options.quietMs, latest - now)));
  }

  /**
   * Something is known to be missing from what is stored, such as a kind that may not be read any more: builds fail with
   * this reason until it is lifted by undefined, and then go on by themselves.
   */
  obstruct(subject: string, reason: string | undefined): void {
    if (this.#obstacles.get(subject) === reason) return;
    if (reason === undefined) this.#obstacles.delete(subject);
    else this.#obstacles.set(subject, reason);
    this.changed();
  }

  /** Resolves when everything that was changed before the call is built. */
  settled(): Promise<void> {
    if (this.#open && !this.#immediate && !this.#timer && !this.#options.graph.isDirty) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    clearTimeout(this.#due);
  }

  #isUnderWay(now: number): boolean {
    const { quietMs, isPushing = () => true } = this.#options;
    return now - this.#lastBuilt < quietMs && isPushing();
  }

  #build(): void {
    this.#timer = undefined;
    this.#immediate = undefined;
    const { graph, publish, onBuilt, onFailed, now = () => new Date() } = this.#options;
    const began = performance.now();
    try {
      this.#refuseObstructed();
      const result = graph.build(now());
      publish(result);
      clearTimeout(this.#due);
      if (result.due) this.#due = setTimeout(() => this.changed(), result.due.getTime() - now().getTime());
      onBuilt?.(performance.now() - began, result);
    } catch (error) {
      onFailed?.(error);
    }
    this.#lastBuilt = performance.now();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #refuseObstructed(): void {
    const [obstacle] = this.#obstacles;
    if (obstacle) throw new BuildFault(...obstacle);
  }
}

import { type Steps, takeSlice } from '../std/steps/index.ts';
import type { BuildResult } from './build-result.ts';
import { BuildFault } from './engine/index.ts';
import type { Graph } from './graph.ts';

export interface BuilderOptions {
  readonly graph: Graph;
  /**
   * Receives each result in order, and may go on in steps. What it throws fails the build: counted, logged, and tried again with
   * the next change.
   */
  readonly publish: (result: BuildResult) => Steps<void> | undefined;
  /** `durationMs`: the time that was worked for it, without the turns that others had between; `began`: of `performance.now`. */
  readonly onBuilt?: (durationMs: number, result: BuildResult, began: number) => void;
  readonly onFailed?: (error: unknown, durationMs: number) => void;
  /** Changes that come within this time of a build that is not yet taken gather until none came for as long. Milliseconds. */
  readonly quietMs: number;
  /** The longest that a gathered change waits. Milliseconds. */
  readonly maxMs: number;
  /** Whether a consumer has not taken the last build yet. Without it every build takes `quietMs`. */
  readonly isPushing?: () => boolean;
  readonly now?: () => Date;
}

/** A build under way. */
interface Run {
  readonly steps: Steps<BuildResult>;
  /** Who waits for it. */
  readonly waiting: (() => void)[];
  readonly began: number;
  workedMs: number;
  /** Others have had a turn since it began. */
  isSliced: boolean;
  /** Something became dirty in one of their turns. */
  isChanged: boolean;
}

/**
 * The one rebuild loop. States: `closed` (the first full list is not in; nothing is built), `idle`, `gathering` (a build
 * is due), `building`. From idle a change is built at once, at the end of the current turn of the event loop, so that all of a
 * batch is in it. Changes that come while the last build is being taken are a burst's: they gather for a quiet period,
 * and for `maxMs` at most. One alone is no burst, and waits only until the last build is taken. A proxy that never answers counts for
 * one quiet period.
 *
 * A build, its publication included, takes one turn of the event loop if that is short, and else goes on in slices, with turns
 * for others between. What changes meanwhile counts as if it had changed at its end.
 */
export class Builder {
  readonly #options: BuilderOptions;
  #open = false;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #run: Run | undefined;
  /** The next slice of it. */
  #slice: NodeJS.Immediate | undefined;
  #due: NodeJS.Timeout | undefined;
  #firstGathered = 0;
  /** How many changes wait for the timer. */
  #gathered = 0;
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
    if (this.#run?.isSliced) {
      this.#run.isChanged = true;
      return;
    }
    const now = performance.now();
    if (!this.#timer && !this.#isUnderWay(now)) {
      this.#immediate = setImmediate(() => this.#build());
      return;
    }
    if (!this.#timer) {
      this.#firstGathered = now;
      this.#gathered = 0;
    }
    this.#gathered += 1;
    const latest = this.#firstGathered + this.#options.maxMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#build(), Math.max(0, Math.min(this.#options.quietMs, latest - now)));
  }

  /** Something in the graph may have become dirty: a build that is due finds it. */
  mayHaveChanged(): void {
    if (!this.#timer) this.changed();
  }

  /** Every consumer has taken the last build. */
  taken(): void {
    if (!this.#timer || this.#gathered > 1) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.changed();
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
    const isDue = this.#immediate || this.#timer || this.#run?.isChanged || this.#options.graph.isDirty;
    if (this.#open && !isDue && !this.#run) return Promise.resolve();
    const waiting = isDue ? this.#waiting : (this.#run?.waiting ?? this.#waiting);
    return new Promise((resolve) => waiting.push(resolve));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    clearImmediate(this.#slice);
    clearTimeout(this.#due);
    // A consumer in the middle of a step learns of it from the step.
    if (this.#slice) this.#run?.steps.return(undefined as never);
  }

  #isUnderWay(now: number): boolean {
    const { quietMs, isPushing = () => true } = this.#options;
    return now - this.#lastBuilt < quietMs && isPushing();
  }

  #build(): void {
    this.#timer = undefined;
    this.#immediate = undefined;
    const waiting = this.#waiting.splice(0);
    const began = performance.now();
    const run: Run = { steps: this.#steps(), waiting, began, workedMs: 0, isSliced: false, isChanged: false };
    this.#run = run;
    this.#goOn(run);
  }

  *#steps(): Steps<BuildResult> {
    const { graph, publish, now = () => new Date() } = this.#options;
    this.#rejectObstructed();
    const result = yield* graph.building(now());
    const publishing = publish(result);
    if (publishing) yield* publishing;
    return result;
  }

  /** Works for one slice, and has the rest wait for the next turn. */
  #goOn(run: Run): void {
    this.#slice = undefined;
    const { onBuilt, onFailed } = this.#options;
    const began = performance.now();
    try {
      const step = takeSlice(run.steps);
      run.workedMs += performance.now() - began;
      if (!step.done) {
        this.#giveWay(run);
        return;
      }
      this.#setDue(step.value);
      onBuilt?.(run.workedMs, step.value, run.began);
    } catch (error) {
      onFailed?.(error, run.workedMs + performance.now() - began);
    }
    this.#run = undefined;
    this.#lastBuilt = performance.now();
    if (run.isChanged) this.changed();
    for (const resolve of run.waiting) resolve();
  }

  #giveWay(run: Run): void {
    if (this.#stopped) {
      run.steps.return(undefined as never);
      return;
    }
    run.isSliced = true;
    if (this.#immediate || this.#timer) {
      clearImmediate(this.#immediate);
      clearTimeout(this.#timer);
      this.#immediate = undefined;
      this.#timer = undefined;
      run.isChanged = true;
    }
    this.#slice = setImmediate(() => this.#goOn(run));
  }

  #setDue({ due }: BuildResult): void {
    const { now = () => new Date() } = this.#options;
    clearTimeout(this.#due);
    if (due) this.#due = setTimeout(() => this.changed(), due.getTime() - now().getTime());
  }

  #rejectObstructed(): void {
    const [obstacle] = this.#obstacles;
    if (obstacle) throw new BuildFault(...obstacle);
  }
}

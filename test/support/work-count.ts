import { type Profiler, Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

/**
 * Counts what the program does, not how long it takes: how often each block of our code, and of the packages it calls,
 * ran. The same work gives the same number on every machine, however busy (V8's precise coverage, with counts). To be made before
 * that code first runs in the process: what V8 has compiled by then it may leave out.
 */
export class WorkCounter implements Disposable {
  readonly #session = new Session();

  constructor() {
    // Calls of a small function that V8 has compiled into its callers are not counted: whole functions would be missing, or not, by chance.
    for (const compiler of ['opt', 'maglev']) setFlagsFromString(`--no-${compiler}`);
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Runs `work`, which must be synchronous, and gives the number of blocks that ran. */
  count(work: () => void): number {
    this.#take();
    work();
    return this.#take();
  }

  [Symbol.dispose](): void {
    this.#session.disconnect();
  }

  /** Blocks that ran since the last call. */
  #take(): number {
    const { result } = this.#post('Profiler.takePreciseCoverage') as Profiler.TakePreciseCoverageReturnType;
    return result
      .filter(({ url }) => url.startsWith('file:') && !url.includes('/test/'))
      .flatMap(({ functions }) => functions)
      .flatMap(({ ranges }) => ranges)
      .reduce((total, { count }) => total + count, 0);
  }

  /** A session in its own thread answers before `post` returns. */
  #post(method: string, params: object = {}): unknown {
    let answer: unknown;
    let failure: Error | null = null;
    this.#session.post(method, params, (error, result) => {
      failure = error;
      answer = result;
    });
    if (failure) throw failure;
    return answer;
  }
}

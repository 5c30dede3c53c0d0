import { Worker } from 'node:worker_threads';
import type { ThreadQuestion } from './check-thread.ts';

/** The bundle has the file under another name beside it (scripts/bundle.ts). */
const threadFile = new URL('./check-thread.ts', import.meta.url);

/** Of a thread: bcrypt needs a few kilobytes. */
const memoryMiB = 32;

/** A thread that ended while it checked. */
export class CheckFailed extends Error {}

/** One thread, and what it is doing. */
interface Place {
  readonly worker: Worker;
  running: PromiseWithResolvers<boolean> | undefined;
}

/**
 * Threads that check a password each. They are started when they are needed, and ended when there was nothing to do for a while: most proxies never
 * need them. The caller asks for no more at once than there are threads.
 */
export class CheckThreads {
  readonly #idleMs: number;
  readonly #places = new Set<Place>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ idleMs }: { readonly idleMs: number }) {
    this.#idleMs = idleMs;
  }

  /** How many threads there are now. */
  get size(): number {
    return this.#places.size;
  }

  /** Whether the password belongs to the hash. Rejects with CheckFailed when its thread ends before. */
  async isRight(question: ThreadQuestion): Promise<boolean> {
    if (this.#isClosed) throw new CheckFailed('passwords are not checked any more');
    clearTimeout(this.#timer);
    const place = [...this.#places].find(({ running }) => !running) ?? this.#start();
    const running = Promise.withResolvers<boolean>();
    place.running = running;
    place.worker.ref();
    place.worker.postMessage(question);
    try {
      return await running.promise;
    } finally {
      place.running = undefined;
      place.worker.unref();
      this.#rest();
    }
  }

  /** Ends the threads; what they were checking fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#endAll();
  }

  #start(): Place {
    // What the process was started with may be of no use to a thread.
    const worker = new Worker(threadFile, { resourceLimits: { maxOldGenerationSizeMb: memoryMiB }, execArgv: [] });
    const place: Place = { worker, running: undefined };
    const end = (cause?: unknown) => {
      this.#places.delete(place);
      place.running?.reject(new CheckFailed('the thread that checks passwords has ended', { cause }));
    };
    worker.on('message', (isRight: boolean) => place.running?.resolve(isRight));
    worker.on('error', end);
    worker.on('exit', () => end());
    this.#places.add(place);
    return place;
  }

  #rest(): void {
    clearTimeout(this.#timer);
    if ([...this.#places].some(({ running }) => running)) return;
    this.#timer = setTimeout(() => void this.#endAll(), this.#idleMs).unref();
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#places].map(({ worker }) => worker.terminate()));
  }
}

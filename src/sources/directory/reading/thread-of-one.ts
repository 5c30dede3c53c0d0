import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Asked, Job } from './job.ts';
import type { FromThread, ThreadSetup, ToThread } from './messages.ts';
import { ReadingRejected } from './reading-rejected.ts';
import { unpacked } from './wire.ts';

export interface ThreadLimits {
  /** Time of a processor that one job of up to 1 MiB may take, in milliseconds. */
  readonly jobMs: number;
  /** What the thread may take to start. */
  readonly startMs: number;
  /** Heap of the thread, in MiB. */
  readonly memoryMiB: number;
  /** Jobs that may wait. */
  readonly waiting: number;
  /** The thread ends when there was nothing to do for so long. */
  readonly idleMs: number;
}

export interface Task {
  readonly job: Job;
  readonly limitMs: number;
  readonly findOld: (asked: Asked) => unknown;
}

/** What a job came to: entries of a long result come apart from it. */
export interface Outcome {
  readonly result: unknown;
  readonly entries: (readonly [string, unknown])[];
}

type Running = Task & PromiseWithResolvers<Outcome> & Pick<Outcome, 'entries'>;

/** How many times longer than its own time a job may take by the clock. */
const idleFactor = 20;

/** The bundle has the file under another name beside it (scripts/bundle.ts). */
const threadFile = new URL('./reading-thread.ts', import.meta.url);

/**
 * One thread that does one job after the other. It is started with the first one, and ended when it has had none for a while; one that takes
 * too long, or too much memory, is ended with it, and the next has a new thread.
 */
export class ThreadOfOne {
  readonly #setup: ThreadSetup;
  readonly #limits: ThreadLimits;
  readonly #waiting: Running[] = [];
  #running: Running | undefined;
  #worker: Worker | undefined;
  #isReady = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(setup: ThreadSetup, limits: ThreadLimits) {
    this.#setup = setup;
    this.#limits = limits;
  }

  /** Rejects with ReadingRejected, or an Error with the name and message of what the job threw. */
  async run(task: Task, isPatient: boolean): Promise<Outcome> {
    if (!isPatient && this.#waiting.length >= this.#limits.waiting) throw new ReadingRejected('busy');
    const running: Running = { ...task, ...Promise.withResolvers<Outcome>(), entries: [] };
    this.#waiting.push(running);
    this.#next();
    return await running.promise;
  }

  /** Ends the thread; what was to be done is rejected. */
  async close(): Promise<void> {
    for (const task of this.#waiting.splice(0)) task.reject(new ReadingRejected('ended'));
    await this.#end(new ReadingRejected('ended'));
  }

  #next(): void {
    if (this.#running) return;
    const task = this.#waiting.shift();
    if (task === undefined) {
      this.#rest();
      return;
    }
    this.#running = task;
    this.#worker ??= this.#start();
    this.#worker.ref();
    if (this.#isReady) this.#begin(task);
  }

  #start(): Worker {
    const { memoryMiB, startMs } = this.#limits;
    const worker = new Worker(threadFile, {
      workerData: this.#setup,
      resourceLimits: { maxOldGenerationSizeMb: memoryMiB },
      // What the process was started with may be of no use to a thread.
      execArgv: [],
    });
    const isOwn = (act: () => void) => (this.#worker === worker ? act() : undefined);
    worker.on('message', (message: FromThread) => isOwn(() => this.#heard(message)));
    worker.on('error', (error) => isOwn(() => void this.#end(rejectionOf(error))));
    worker.on('exit', () => isOwn(() => void this.#end(new ReadingRejected('ended'))));
    this.#isReady = false;
    this.#limit(startMs);
    return worker;
  }

  #begin(task: Running): void {
    // However busy the machine is, what counts is what the job takes; but nothing may take for ever.
    this.#limit(idleFactor * task.limitMs);
    void this.#count(task, cpuMsOf(this.#worker));
    this.#post({ say: 'do', job: task.job });
  }

  /** Ends the thread when its job has taken what it may. */
  async #count(task: Running, begun: Promise<number>): Promise<void> {
    const start = await begun;
    while (this.#running === task) {
      await wait(Math.min(250, task.limitMs / 2), undefined, { ref: false });
      const used = (await cpuMsOf(this.#worker)) - start;
      if (this.#running === task && used > task.limitMs) await this.#end(new ReadingRejected('time'));
    }
  }

  #heard(message: FromThread): void {
    const task = this.#running;
    if (message.say === 'ready') this.#isReady = true;
    if (task === undefined) return;
    switch (message.say) {
      case 'ready':
        this.#begin(task);
        break;
      case 'ask':
        this.#post({ say: 'old', objects: message.asked.map(task.findOld) });
        break;
      case 'entries':
        for (const entry of unpacked(message.entries) as Outcome['entries']) task.entries.push(entry);
        // The next slice is for another turn.
        setImmediate(() => this.#running === task && this.#post({ say: 'more' }));
        break;
      case 'done':
        task.resolve({ result: unpacked(message.result), entries: task.entries });
        this.#over();
        break;
      case 'failed':
        task.reject(Object.assign(new Error(message.error.message), { name: message.error.name }));
        this.#over();
        break;
    }
  }

  #post(message: ToThread): void {
    this.#worker?.postMessage(message);
  }

  #over(): void {
    clearTimeout(this.#timer);
    this.#running = undefined;
    this.#next();
  }

  /** Nothing to do: the thread delays no process that wants to end, and ends itself soon. */
  #rest(): void {
    this.#worker?.unref();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#end(new ReadingRejected('ended')), this.#limits.idleMs).unref();
  }

  #limit(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#end(new ReadingRejected('time')), ms);
  }

  async #end(reason: ReadingRejected): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#running?.reject(reason);
    this.#running = undefined;
    const ended = worker?.terminate();
    if (this.#waiting.length > 0) this.#next();
    await ended;
  }
}

/** Time of the processor that a thread has taken so far; 0 for one that has ended meanwhile. */
async function cpuMsOf(worker: Worker | undefined): Promise<number> {
  const { user, system } = (await worker?.cpuUsage().catch(() => undefined)) ?? { user: 0, system: 0 };
  return (user + system) / 1_000;
}

function rejectionOf(error: unknown): ReadingRejected {
  const { code } = error as NodeJS.ErrnoException;
  return new ReadingRejected(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'failed', error);
}

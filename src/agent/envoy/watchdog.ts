import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import { type ProcStat, readMainThread } from '../proc-stat.ts';
import type { EnvoyAdmin } from './envoy-admin.ts';
import type { EnvoyProcess } from './envoy-process.ts';

export interface WatchdogOptions {
  readonly process: Pick<EnvoyProcess, 'pid' | 'kill'>;
  readonly admin: Pick<EnvoyAdmin, 'serverInfo'>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** How often Envoy is asked how it is, in milliseconds. */
  readonly intervalMs: number;
  /** An Envoy whose main thread has neither answered nor worked for so long hangs. Long: one that is short of processor time is slow to answer, and serves. */
  readonly patienceMs: number;
  /** One that has worked all the time without an answer does not come to an end. Longer: a large change takes the main thread long, and the workers serve. */
  readonly longestMs: number;
  /** Of the process with this id; `/proc` by default. */
  readonly mainThread?: (pid: number) => Promise<ProcStat | undefined>;
}

/** Ends an Envoy that runs and does not answer, so that another one is started. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #mainThread: (pid: number) => Promise<ProcStat | undefined>;
  #hangs = 0;
  #pid: number | undefined;
  #answeredAt = 0;
  /** When its main thread had last worked, or answered. */
  #workedAt = 0;
  #cpuMs = 0;
  /** Of the last one that was ended: it stays for a moment. */
  #ended: number | undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#mainThread = options.mainThread ?? readMainThread;
  }

  /** How many it has ended. */
  get hangs(): number {
    return this.#hangs;
  }

  /** Looks until `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#options;
    while (!signal.aborted) {
      await this.#look(signal);
      await clock.delay(intervalMs, signal).catch(() => undefined);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { process, patienceMs, longestMs, logger } = this.#options;
    const { pid } = process;
    if (pid === undefined || pid === this.#ended) return;
    await this.#ask(pid);
    const silentMs = this.#now() - this.#answeredAt;
    const idleMs = this.#now() - this.#workedAt;
    // It may have ended meanwhile, and another one may be there.
    if ((idleMs < patienceMs && silentMs < longestMs) || signal.aborted || process.pid !== pid) return;
    this.#hangs += 1;
    this.#ended = pid;
    logger.error({ pid, silent_ms: silentMs }, 'Envoy is unresponsive; restarting it');
    process.kill(`it did not answer for ${Math.round(silentMs / 1000)} s and was killed`);
  }

  async #ask(pid: number): Promise<void> {
    if (pid !== this.#pid) {
      this.#pid = pid;
      this.#cpuMs = 0;
      this.#answeredAt = this.#workedAt = this.#now();
    }
    const answers = await this.#options.admin.serverInfo().then(
      () => true,
      () => false,
    );
    if (answers) this.#answeredAt = this.#workedAt = this.#now();
    const thread = await this.#mainThread(pid);
    if (!thread) return;
    // One that waits for a processor does not hang either.
    if (thread.cpuMs > this.#cpuMs || thread.isRunnable) this.#workedAt = this.#now();
    this.#cpuMs = thread.cpuMs;
  }

  readonly #now = () => this.#options.clock.now().getTime();
}

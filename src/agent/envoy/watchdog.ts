import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import type { EnvoyAdmin } from './envoy-admin.ts';
import type { EnvoyProcess } from './envoy-process.ts';

export interface WatchdogOptions {
  readonly process: Pick<EnvoyProcess, 'pid' | 'kill'>;
  readonly admin: Pick<EnvoyAdmin, 'serverInfo'>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** How often Envoy is asked how it is, in milliseconds. */
  readonly intervalMs: number;
  /** An Envoy that has answered nothing for so long hangs. Long: one that is short of processor time is slow to answer, and serves. */
  readonly patienceMs: number;
}

/** Ends an Envoy that runs and does not answer, so that another one is started. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #hangs = 0;
  #pid: number | undefined;
  #answeredAt = 0;
  /** Of the last one that was ended: it stays for a moment. */
  #ended: number | undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
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
    const { process, admin, clock, patienceMs, logger } = this.#options;
    const { pid } = process;
    if (pid === undefined || pid === this.#ended) return;
    const now = () => clock.now().getTime();
    if (pid !== this.#pid) {
      this.#pid = pid;
      this.#answeredAt = now();
    }
    const answered = await admin.serverInfo().then(
      () => true,
      () => false,
    );
    if (answered) this.#answeredAt = now();
    const silentMs = now() - this.#answeredAt;
    // It may have ended meanwhile, and another one may be there.
    if (silentMs < patienceMs || signal.aborted || process.pid !== pid) return;
    this.#hangs += 1;
    this.#ended = pid;
    logger.error({ pid, silent_ms: silentMs }, 'Envoy is unresponsive; restarting it');
    process.kill(`it did not answer for ${Math.round(silentMs / 1000)} s and was killed`);
  }
}

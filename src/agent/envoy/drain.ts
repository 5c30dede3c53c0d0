import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import type { ActiveWork, EnvoyAdmin } from './envoy-admin.ts';

export interface DrainOptions {
  readonly admin: Pick<EnvoyAdmin, 'failHealthCheck' | 'activeWork'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The drain lasts no longer than this. */
  readonly drainTimeMs: number;
  /** The drain lasts at least this long: clients need a while to learn that this proxy leaves. */
  readonly minDrainTimeMs: number;
  /** Ends the drain at once. */
  readonly signal: AbortSignal;
  /** Whether there is no Envoy any more. */
  readonly isGone: () => boolean;
}

const pollMs = 100;

/**
 * Lets Envoy finish what it is doing. Envoy goes on accepting and serving, but closes each connection after the response
 * under way (`Connection: close`, GOAWAY). Resolves when nothing is open any more, when the time is up, or when Envoy
 * is gone: one that is slow to answer, or answers once with an error, is asked again. Never rejects.
 */
export async function drain(options: DrainOptions): Promise<void> {
  const { admin, clock, logger, drainTimeMs, minDrainTimeMs, signal, isGone } = options;
  const startedAt = clock.now().getTime();
  const spentMs = () => clock.now().getTime() - startedAt;
  const asked = new Asked(logger);
  let isFailing = false;
  let work: ActiveWork | undefined;
  for (;;) {
    isFailing ||= (await asked.of(admin.failHealthCheck().then(() => true))) ?? false;
    const first = work === undefined;
    work = (await asked.of(admin.activeWork())) ?? work;
    if (first && work) logger.info({ ...work, drain_time_ms: drainTimeMs }, 'draining Envoy');
    const isIdle = isFailing && work !== undefined && !isBusy(work);
    if (isGone() || signal.aborted || spentMs() >= drainTimeMs || (isIdle && spentMs() >= minDrainTimeMs)) break;
    await clock.delay(pollMs, signal).catch(() => undefined);
  }
  const end = work && !isBusy(work) ? 'Envoy is drained' : 'drain time is over';
  logger.info({ ...work, spent_ms: spentMs() }, isGone() ? 'Envoy is gone while it was drained' : end);
}

/** Questions whose answer may be missing; the first that is, is reported. */
class Asked {
  readonly #logger: Logger;
  #hasWarned = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  async of<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (!this.#hasWarned)
        this.#logger.warn({ err: error }, 'Envoy does not answer while it is drained; asking again');
      this.#hasWarned = true;
      return undefined;
    }
  }
}

const isBusy = ({ connections, requests }: { connections: number; requests: number }) => connections + requests > 0;

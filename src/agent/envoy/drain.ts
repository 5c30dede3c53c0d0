import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import type { EnvoyAdmin } from './envoy-admin.ts';

export interface DrainOptions {
  readonly admin: Pick<EnvoyAdmin, 'failHealthCheck' | 'activeWork'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The drain lasts no longer than this. */
  readonly drainTimeMs: number;
  /** The drain lasts at least this long: whoever sends traffic needs a while to hear that this proxy leaves. */
  readonly minDrainTimeMs: number;
  /** Ends the drain at once. */
  readonly signal: AbortSignal;
}

const pollMs = 100;

/**
 * Lets Envoy finish what it is doing. Envoy goes on accepting and serving, but closes each connection after the response
 * under way (`Connection: close`, GOAWAY). Resolves when nothing is open any more, when the time is up, or when Envoy
 * does not answer. Never rejects.
 */
export async function drain(options: DrainOptions): Promise<void> {
  const { admin, clock, logger, drainTimeMs, minDrainTimeMs, signal } = options;
  const startedAt = clock.now().getTime();
  const spentMs = () => clock.now().getTime() - startedAt;
  try {
    await admin.failHealthCheck();
    let work = await admin.activeWork();
    logger.info({ ...work, drain_time_ms: drainTimeMs }, 'draining Envoy');
    while (!signal.aborted && spentMs() < drainTimeMs && (isBusy(work) || spentMs() < minDrainTimeMs)) {
      await clock.delay(pollMs, signal).catch(() => undefined);
      work = await admin.activeWork();
    }
    logger.info({ ...work, spent_ms: spentMs() }, isBusy(work) ? 'drain time is over' : 'Envoy is drained');
  } catch (error) {
    logger.warn({ err: error }, 'Envoy cannot be drained');
  }
}

const isBusy = ({ connections, requests }: { connections: number; requests: number }) => connections + requests > 0;

import { longestFirstCheckMs } from '../../contracts/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import type { Relay } from './relay.ts';

/** The present Envoy, as far as it says what it waits for. */
export interface WarmingEnvoy {
  /** Those of these clusters that wait for their endpoints. Rejects when Envoy cannot be asked. */
  readonly warming: (names: readonly string[]) => Promise<readonly string[]>;
}

export interface UncheckedEndpointsOptions {
  readonly relay: Pick<Relay, 'clusters'>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Envoy has to answer about endpoints first, or to say what it waits for. */
const againMs = 250;

/**
 * Ends Envoy's wait for the first check of endpoints where it lasts too long. Else one policy could hold up every change of all tenants, and every
 * start of a proxy.
 */
export class UncheckedEndpoints {
  readonly #options: UncheckedEndpointsOptions;
  #wake: (() => void) | undefined;
  /** When Envoy began to wait, or was last looked at; in milliseconds. */
  #since = 0;

  constructor(options: UncheckedEndpointsOptions) {
    this.#options = options;
  }

  /** To be called when Envoy begins to wait for clusters. */
  look(): void {
    this.#since = this.#options.clock.now().getTime();
    this.#wake?.();
  }

  /** Watches until `signal` is aborted. Never rejects. */
  async run(envoy: WarmingEnvoy, signal: AbortSignal): Promise<void> {
    const { clock, relay } = this.#options;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
    while (!signal.aborted) {
      const leftMs = this.#since + longestFirstCheckMs - clock.now().getTime();
      if (!relay.clusters.isHeldUp) await this.#called();
      else if (leftMs > 0) await clock.delay(leftMs, signal).catch(() => undefined);
      else if ((await this.#release(envoy)) === 'busy') await clock.delay(againMs, signal).catch(() => undefined);
      else this.#since = clock.now().getTime();
    }
  }

  async #release(envoy: WarmingEnvoy): Promise<'busy' | 'done'> {
    const { clusters } = this.#options.relay;
    const { waits } = clusters;
    const names = await this.#waiting(envoy).catch(() => undefined);
    if (names === undefined) return 'busy';
    if (names.length === 0 || clusters.waits !== waits) return 'done';
    if (!clusters.release(names)) return 'busy';
    this.#options.logger.warn(
      { clusters: names.slice(0, 10), count: names.length },
      'endpoints were not checked in time; Envoy uses them unchecked, so that other changes need not wait',
    );
    return 'done';
  }

  async #waiting({ warming }: WarmingEnvoy): Promise<readonly string[]> {
    const { isStart, checked } = this.#options.relay.clusters;
    // At a start Envoy has its first clusters in use already, and no listener that could use them.
    return isStart || checked.length === 0 ? checked : warming(checked);
  }

  #called(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

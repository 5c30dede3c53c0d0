import { isBindError } from '../../contracts/index.ts';
import { typeUrls } from '../../envoy/wire/index.ts';
import type { Backoff } from '../../std/index.ts';
import type { Clock } from '../clock.ts';
import type { Relay } from './relay.ts';

export interface BindRetryOptions {
  readonly relay: Pick<Relay, 'rejections' | 'offerRejected'>;
  /** A control plane is there, which offers again itself what it offered. */
  readonly connected: () => boolean;
  readonly clock: Clock;
  readonly backoff: Backoff;
}

/** Offers Envoy listeners again whose port was taken, where no control plane does: the port may be free by now. */
export class BindRetry {
  readonly #options: BindRetryOptions;
  #wake: (() => void) | undefined;

  constructor(options: BindRetryOptions) {
    this.#options = options;
  }

  /** To be called when Envoy has rejected something, and when the control plane has left. */
  look(): void {
    this.#wake?.();
  }

  /** Offers until `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, backoff, relay } = this.#options;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
    while (!signal.aborted) {
      if (!this.#due()) {
        backoff.reset();
        await this.#called();
        continue;
      }
      await clock.delay(backoff.next(), signal).catch(() => undefined);
      if (!signal.aborted && this.#due()) relay.offerRejected(typeUrls.listener);
    }
  }

  #due(): boolean {
    const rejection = this.#options.relay.rejections.get(typeUrls.listener);
    if (!rejection || !isBindError(rejection.message)) return false;
    return rejection.own || !this.#options.connected();
  }

  #called(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

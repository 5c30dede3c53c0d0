import { status } from '@grpc/grpc-js';
import { untriedWords } from '../../contracts/index.ts';
import { typeUrls } from '../../envoy/wire/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import { type DeltaRequest, type DeltaResponse, deltaRequest } from '../relay/delta-messages.ts';
import { triedResource } from './trial-file.ts';
import { type TriedEnvoy, tryOut, type Verdict } from './try-out.ts';

export interface TrialsOptions {
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * The agent's own subscription to what is to be tried. One response is tried at a time, and nothing else waits for it. An answer is for the stream that asked.
 */
export class Trials {
  readonly #options: TrialsOptions;
  #envoy: (() => TriedEnvoy) | undefined;
  #send: ((request: DeltaRequest) => void) | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(options: TrialsOptions) {
    this.#options = options;
  }

  /** `envoy`: the one that serves, as it is when something is tried. */
  open(envoy: () => TriedEnvoy): void {
    this.#envoy = envoy;
  }

  /** Asks for what is to be tried, once on a stream; `send` writes to it. */
  ask(send: (request: DeltaRequest) => void): void {
    if (this.#send) return;
    this.#send = send;
    send(deltaRequest({ typeUrl: typeUrls.trial }));
  }

  /** The stream is gone. */
  left(): void {
    this.#send = undefined;
  }

  /** Resolves when it has been answered. */
  answered(response: DeltaResponse): Promise<void> {
    const send = this.#send;
    this.#last = this.#last.then(async () => {
      if (send === undefined || this.#send !== send) return;
      const verdict = await this.#verdictOn(response);
      if (this.#send === send) send(answerTo(response, verdict));
    });
    return this.#last;
  }

  async #verdictOn({ resources }: DeltaResponse): Promise<Verdict> {
    const { clock, logger } = this.#options;
    const envoy = this.#envoy?.();
    const tried = resources.map(({ bytes }) => triedResource(bytes));
    if (!envoy || tried.includes(undefined)) return { kind: 'untried', reason: 'the agent cannot try this' };
    const verdict = await tryOut(
      tried.filter((each) => each !== undefined),
      envoy,
      clock,
    );
    const names = resources.map(({ name }) => name);
    if (verdict.kind === 'valid') logger.debug({ resources: names }, 'resources tried: Envoy takes them');
    else logger.warn({ resources: names, ...verdict }, 'resources tried before they are served');
    return verdict;
  }
}

function answerTo({ nonce }: DeltaResponse, verdict: Verdict): DeltaRequest {
  const { trial: typeUrl } = typeUrls;
  if (verdict.kind === 'valid') return deltaRequest({ typeUrl, nonce });
  const error =
    verdict.kind === 'rejected'
      ? { code: status.INVALID_ARGUMENT, message: verdict.message }
      : { code: status.UNAVAILABLE, message: untriedWords(verdict.reason) };
  return deltaRequest({ typeUrl, nonce, error });
}

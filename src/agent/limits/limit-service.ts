import { type Server, type sendUnaryData, status } from '@grpc/grpc-js';
import { type Clock, systemClock } from '../../std/queue/index.ts';
import { ConcurrentLimits } from './concurrent-service.ts';
import { Leases } from './leases.ts';
import type { LimitCounts } from './limit-counts.ts';
import { LimitJudge, UnknownLimit } from './limit-judge.ts';
import { StepReader } from './limit-steps.ts';
import { type LimitAnswer, writeAnswer } from './rls-messages.ts';
import { callTakes, type TakeCallsOptions } from './take-calls.ts';

export interface LimitServiceOptions extends TakeCallsOptions {
  readonly clock?: Clock;
  /** See LeasesOptions. */
  readonly patienceMs?: number | undefined;
}

/** Answers Envoy's questions about limits that all proxies of a Gateway share. */
export class LimitService {
  readonly #leases: Leases;
  readonly #reader = new StepReader();
  readonly #judge: LimitJudge;
  readonly #concurrent: ConcurrentLimits;

  constructor({ clock = systemClock, patienceMs, ...calls }: LimitServiceOptions) {
    this.#leases = new Leases({ clock, patienceMs, call: (takes) => callTakes(calls, takes) });
    this.#judge = new LimitJudge(this.#leases);
    this.#concurrent = new ConcurrentLimits(this.#judge.counts);
  }

  get counts(): LimitCounts {
    return this.#judge.counts;
  }

  /** Messages to the control plane. */
  get calls(): number {
    return this.#leases.calls;
  }

  /** Answers a RateLimitRequest, which must be about shared limits. */
  answer(request: Uint8Array, done: sendUnaryData<Uint8Array>): void {
    if (!this.answers(request, done)) done({ code: status.UNIMPLEMENTED, details: 'not about shared limits' });
  }

  /** Answers a RateLimitRequest about shared limits, as older control planes have proxies ask; false for one about something else. */
  answers(request: Uint8Array, done: sendUnaryData<Uint8Array>): boolean {
    const steps = this.#reader.stepsIn(request);
    if (!steps) return false;
    const fail = (error: unknown): void => done(failureOf(error as Error));
    let found: LimitAnswer | Promise<LimitAnswer>;
    try {
      found = this.#judge.judge(steps);
    } catch (error) {
      fail(error);
      return true;
    }
    if (found instanceof Promise) found.then((answer) => done(null, writeAnswer(answer)), fail);
    else done(null, writeAnswer(found));
    return true;
  }

  /** Lets Envoy's server take streams of requests that are under way. */
  serve(server: Server): void {
    this.#concurrent.serve(server);
  }

  stop(): void {
    this.#leases.stop();
  }
}

const failureOf = (error: Error) => ({
  code: error instanceof UnknownLimit ? status.UNAVAILABLE : status.INTERNAL,
  details: error.message,
});

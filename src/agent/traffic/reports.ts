import { randomBytes } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import {
  type EndpointReport,
  type PickRow,
  type TrafficReport,
  type TrafficRow,
  trafficLimits,
  trafficReportPath,
} from '../../contracts/index.ts';
import type { Backoff } from '../../std/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import type { Clock } from '../clock.ts';
import type { ControlClient } from '../relay/index.ts';
import type { Failures } from './failures.ts';

export interface ReportsOptions {
  readonly client: ControlClient;
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of the Gateway. */
  readonly cluster: string;
  readonly failures: Failures;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly backoff: Backoff;
}

/** What was counted in a time. */
interface Counted {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly TrafficRow[];
  readonly picks: readonly PickRow[];
}

/** What waits for a control plane that is away, a quarter of an hour of few routes; beyond it the oldest is lost, which is said. */
const mostWaiting = 100;
const callTimeoutMs = 15_000;
/** A control plane of a release that knows no traffic is asked again after so long. */
const unknownMs = 60_000;
/** How long failures wait for more of them. */
const gatherMs = 200;

/** What no repetition makes better. */
const final: ReadonlySet<status> = new Set([
  status.INVALID_ARGUMENT,
  status.PERMISSION_DENIED,
  status.RESOURCE_EXHAUSTED,
]);

/**
 * Reports to the control plane: counts as they are read, failures at once. One message is under way at a time; one that got no answer is sent again as it
 * was, which is said, and control planes know by its number whether one of them has it already.
 */
export class Reports {
  readonly #options: ReportsOptions;
  readonly #boot = randomBytes(9).toString('base64url');
  readonly #waiting: Counted[] = [];
  readonly #stop = new AbortController();
  #endpoints: readonly EndpointReport[] | null = null;
  #sequence = 0;
  #complete = true;
  #sending: Promise<void> | undefined;
  #isLogged = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** Reports what was counted. `complete`: nothing is missing in it. */
  counted({ from, to, rows, picks }: Counted, complete: boolean): void {
    this.#complete &&= complete;
    // Also when nothing happened, which is news too: the time is covered.
    for (let at = 0; at === 0 || at < rows.length; at += trafficLimits.rows)
      this.#waiting.push({ from, to, rows: rows.slice(at, at + trafficLimits.rows), picks: at === 0 ? picks : [] });
    while (this.#waiting.length > mostWaiting) {
      this.#waiting.shift();
      this.#complete = false;
    }
    this.#send();
  }

  /** All endpoints that a proxy leaves out now. */
  endpoints(endpoints: readonly EndpointReport[]): void {
    this.#endpoints = endpoints.slice(0, trafficLimits.endpoints);
    this.#send();
  }

  /** There are failures to report. */
  failed(): void {
    this.#send();
  }

  /** Sends what is left, if the control plane takes it soon. */
  async stop(): Promise<void> {
    const late = setTimeout(() => this.#stop.abort(), 2000);
    await this.#sending;
    clearTimeout(late);
    this.#stop.abort();
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    await clock.delay(gatherMs, signal).catch(() => undefined);
    for (let report = this.#next(); report !== undefined; report = this.#next()) {
      await this.#deliver(report);
      if (signal.aborted) return;
    }
  }

  /** Undefined when there is nothing to report. */
  #next(): Omit<TrafficReport, 'sentAt'> | undefined {
    const { nodeId, cluster, failures } = this.#options;
    const counted = this.#waiting.shift() ?? null;
    const failed = failures.drain();
    const endpoints = this.#endpoints;
    if (counted === null && failed.length === 0 && endpoints === null) return undefined;
    const complete = this.#complete;
    this.#endpoints = null;
    this.#complete = true;
    this.#sequence += 1;
    return {
      nodeId,
      cluster,
      boot: this.#boot,
      sequence: this.#sequence,
      counted,
      complete,
      failures: failed,
      endpoints,
    };
  }

  /** Until it has an answer. */
  async #deliver(report: Omit<TrafficReport, 'sentAt'>): Promise<void> {
    const { backoff, clock, logger } = this.#options;
    const { signal } = this.#stop;
    for (let again = false; !signal.aborted; again = true) {
      const message = Buffer.from(JSON.stringify({ ...report, again, sentAt: clock.now().getTime() }));
      const failure = await this.#call(message).then(
        () => undefined,
        (error: Error & { readonly code?: status }) => error,
      );
      if (failure === undefined) {
        this.#isLogged = false;
        backoff.reset();
        return;
      }
      const code = failure.code ?? status.UNKNOWN;
      if (final.has(code)) {
        if (!this.#isLogged) logger.warn({ reason: failure.message }, 'the control plane takes no report of traffic');
        this.#isLogged = true;
        return;
      }
      logger.debug({ reason: failure.message }, 'failed to report traffic; retrying');
      const waitMs = code === status.UNIMPLEMENTED ? unknownMs : backoff.next();
      await clock.delay(waitMs, signal).catch(() => undefined);
    }
  }

  async #call(message: Buffer): Promise<void> {
    const { client } = this.#options;
    const { signal } = this.#stop;
    const metadata = await client.metadata();
    let cancel = () => {};
    const answered = new Promise<void>((resolve, reject) => {
      const call = client.get().makeUnaryRequest(
        trafficReportPath,
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        message,
        metadata,
        { deadline: new Date(Date.now() + callTimeoutMs) },
        (error) => (error ? reject(error) : resolve()),
      );
      cancel = () => call.cancel();
    });
    signal.addEventListener('abort', cancel, { once: true });
    await answered.finally(() => signal.removeEventListener('abort', cancel));
  }
}

import { deniedStatuses, type FailureReport, failureLogs, trafficLimits } from '../../contracts/index.ts';
import { messagesIn } from '../../envoy/wire/index.ts';
import type { LogStream } from '../relay/index.ts';
import { readFailure } from './failure-entry.ts';

/** How many failures a second are taken of one kind of log, and how many at once. */
const rates: Readonly<Record<string, { readonly perSecond: number; readonly atOnce: number }>> = {
  [failureLogs.failures]: { perSecond: 20, atOnce: 50 },
  // A scanner makes as many of these as it likes.
  [failureLogs.unrouted]: { perSecond: 2, atOnce: 10 },
};

/** Of one route and flags, so that a loud one does not push out a rare one. */
const mostAlike = 50;

/** Field numbers of envoy.service.accesslog.v3.StreamAccessLogsMessage and of its entries. */
const httpLogs = 2;
const logEntry = 1;

export interface FailuresOptions {
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** Called when there is something to report. */
  readonly onFailure: () => void;
}

/** A bucket of what may be taken. */
interface Bucket {
  tokens: number;
  filledAt: number;
}

/**
 * Failed requests as Envoy sends them, until they are reported. What is more than a few a second is left in Envoy, which drops it when its own small
 * buffer is full: a flood costs agent and Envoy next to nothing. How many there were is known from counters.
 */
export class Failures {
  readonly #options: FailuresOptions;
  readonly #buckets = new Map<string, Bucket>();
  #waiting: FailureReport[] = [];

  constructor(options: FailuresOptions) {
    this.#options = options;
  }

  /** Whether messages of the log are taken here. */
  takes(log: string): boolean {
    return Object.hasOwn(rates, log);
  }

  /** Takes a message of the log; a stream that brings too much is paused. */
  take(log: string, message: Uint8Array, stream: LogStream): void {
    const entries = messagesIn(message, httpLogs).flatMap((logs) => messagesIn(logs, logEntry));
    for (const bytes of entries) {
      const failure = tryRead(bytes);
      if (failure !== undefined && isOf(log, failure)) this.#keep(failure);
    }
    const waitMs = this.#spend(log, entries.length);
    if (waitMs > 0) {
      stream.pause();
      setTimeout(() => stream.resume(), waitMs).unref();
    }
    if (this.#waiting.length > 0) this.#options.onFailure();
  }

  /** What is not reported yet, the oldest first. */
  drain(): FailureReport[] {
    const drained = this.#waiting;
    this.#waiting = [];
    return drained;
  }

  /** Takes back what could not be reported; what came meanwhile is newer. */
  takeBack(failures: readonly FailureReport[]): void {
    const newer = this.#waiting;
    this.#waiting = [...failures];
    for (const failure of newer) this.#keep(failure);
  }

  #keep(failure: FailureReport): void {
    const key = likenessOf(failure);
    const alike = this.#waiting.filter((each) => likenessOf(each) === key);
    const oldest = alike.length >= mostAlike ? alike[0] : undefined;
    if (oldest !== undefined) this.#waiting.splice(this.#waiting.indexOf(oldest), 1);
    this.#waiting.push(failure);
    if (this.#waiting.length > trafficLimits.failures) this.#waiting.shift();
  }

  /** Milliseconds until more may be taken. */
  #spend(log: string, count: number): number {
    const { perSecond = 1, atOnce = 1 } = rates[log] ?? {};
    const now = this.#options.now();
    const { tokens, filledAt } = this.#buckets.get(log) ?? { tokens: atOnce, filledAt: now };
    const left = Math.min(atOnce, tokens + ((now - filledAt) * perSecond) / 1000) - count;
    this.#buckets.set(log, { tokens: left, filledAt: now });
    return left >= 0 ? 0 : (-left / perSecond) * 1000;
  }
}

const likenessOf = ({ route, flags, status }: FailureReport): string => `${route} ${flags.join()} ${status}`;

/** The log of requests without a route holds other answers of the proxy with that status too. */
const isOf = (log: string, { route, status }: FailureReport): boolean =>
  log !== failureLogs.unrouted || route === '' || route.startsWith('gatewright/') || isDenied(status);

const isDenied = (status: number): boolean => deniedStatuses.some((denied) => denied === status);

function tryRead(bytes: Uint8Array): FailureReport | undefined {
  try {
    return readFailure(bytes);
  } catch {
    return undefined;
  }
}

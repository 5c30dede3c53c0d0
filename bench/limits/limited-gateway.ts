import { TimedClient } from '../access/client.ts';
import type { Subject } from '../peer/subject.ts';
import { authorityOf, statusOf } from '../support/ask.ts';
import { Load } from '../support/load.ts';
import { PacedClient } from '../support/paced-client.ts';
import type { Patience } from '../support/patience.ts';
import { hostOf, strictLimit } from './objects.ts';

/** Hosts that are asked in bursts. */
export const cases = ['free', 'limited'] as const;
export type Case = (typeof cases)[number];

const connections = 16;
/** After each answer, so that about four times as many requests come in as come through. */
const pauseMs = 60;
/** By then what a bucket holds at first has come through. */
const burstMs = 2000;

/** What came through of a limit while clients asked for more of it all the time. */
export interface Granted {
  readonly granted: number;
  /** By the limit's own words. */
  readonly allowed: number;
  readonly asked: number;
  /** From the first request on, with what the bucket held: so many came through that should not have. */
  readonly beyond: number;
  /** Of all requests; undefined where there are no leases. */
  readonly fromLease: number | undefined;
}

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface LimitedOptions {
  readonly subject: Subject;
  /** URLs of its agents' servers; none where there are none. */
  readonly agents: readonly string[];
  readonly patience: Patience;
}

/** One subject with its limits in force. */
export class LimitedGateway {
  readonly subject: Subject;
  readonly #agents: readonly string[];
  readonly #client: TimedClient;
  readonly #paced: PacedClient;

  private constructor({ subject, agents }: LimitedOptions, client: TimedClient) {
    this.subject = subject;
    this.#agents = agents;
    this.#client = client;
    this.#paced = new PacedClient(subject.probe.port);
  }

  /** Waits until every host answers, and the strict limit holds. */
  static async open(options: LimitedOptions): Promise<LimitedGateway> {
    const { subject, patience } = options;
    const { address, port } = subject.probe;
    const answers = (host: string, wanted: number) => async () =>
      (await statusOf({ address, port }, host, false, 2000)) === wanted;
    for (const each of cases) await patience.until(`${subject.name}: ${each} answers`, answers(hostOf(each), 200));
    const opened = new LimitedGateway(options, await TimedClient.open(port));
    const holds = async () => {
      const load = opened.#start();
      await rest(3000);
      return (await load.stop()).failed > 0;
    };
    await patience.until(`${subject.name}: the limit holds`, holds);
    return opened;
  }

  /** Milliseconds of each request: of as many as 8 connections take one after the other, or of those that come in at a rate. */
  async burst(each: Case, count: number, perSecond?: number): Promise<readonly number[]> {
    const message = `GET / HTTP/1.1\r\nhost: ${authorityOf(hostOf(each), this.subject.probe)}\r\n\r\n`;
    try {
      if (perSecond !== undefined) return await this.#paced.send(message, { count, perSecond });
      return (await this.#client.burst(count, () => message)).latenciesMs;
    } catch (error) {
      throw new Error(`${this.subject.name} failed in a burst`, { cause: error });
    }
  }

  /**
   * What is in the bucket and at agents at any time waits for the next request, and is no loss: so this counts from a moment at which as much of
   * it waits as at the end.
   */
  async granted(seconds: number): Promise<Granted> {
    const load = this.#start();
    const began = Date.now();
    await rest(burstMs);
    const from = await this.#count(load);
    await rest(seconds * 1000);
    const to = await this.#count(load);
    const { requests, failed, kinds } = await load.stop();
    const ended = Date.now();
    const other = Object.keys(kinds).filter((kind) => kind !== '429');
    if (other.length > 0) throw new Error(`${this.subject.name} answered ${JSON.stringify(kinds)}`);
    const isOurs = this.#agents.length > 0;
    const windows = Math.floor(ended / 1000) - Math.floor(began / 1000) + 1;
    const most = strictLimit * (isOurs ? 1 + (ended - began) / 1000 : windows);
    const asked = to.asked - from.asked;
    return {
      granted: to.passed - from.passed,
      allowed: (strictLimit * (to.at - from.at)) / 1000,
      asked,
      beyond: Math.max(0, requests - failed - most),
      fromLease: isOurs ? (to.leased - from.leased) / asked : undefined,
    };
  }

  close(): void {
    this.#client.close();
    this.#paced.close();
  }

  #start(): Load {
    const { address, port } = this.subject.probe;
    return new Load({ address, port }, { host: hostOf('strict'), connections, pauseMs });
  }

  async #count(load: Load) {
    const leased = await this.#leased();
    return { at: Date.now(), asked: load.requests, passed: load.requests - load.failed, leased };
  }

  /** How many requests were decided from leases so far. */
  async #leased(): Promise<number> {
    const pages = await Promise.all(this.#agents.map(async (agent) => (await fetch(`${agent}/api/v1/metrics`)).text()));
    const values = pages.flatMap((page) => [...page.matchAll(/^\w*shared_limit_leased\w*(?:\{.*\})? (\d+)/gm)]);
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }
}

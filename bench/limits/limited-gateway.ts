import { TimedClient } from '../access/client.ts';
import type { Subject } from '../peer/subject.ts';
import { statusOf } from '../support/ask.ts';
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

/** What came through of a limit. */
export interface Granted {
  readonly granted: number;
  /** By the limit's own words. */
  readonly allowed: number;
  readonly asked: number;
  /** Of all requests; undefined where there are no leases. */
  readonly fromLease: number | undefined;
}

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
    const holds = async () => (await opened.#load(3)).failed > 0;
    await patience.until(`${subject.name}: the limit holds`, holds);
    return opened;
  }

  /** Milliseconds of each request: of as many as 8 connections take one after the other, or of those that come in at a rate. */
  async burst(each: Case, count: number, perSecond?: number): Promise<readonly number[]> {
    const message = `GET / HTTP/1.1\r\nhost: ${hostOf(each)}\r\n\r\n`;
    try {
      if (perSecond !== undefined) return await this.#paced.send(message, { count, perSecond });
      return (await this.#client.burst(count, () => message)).latenciesMs;
    } catch (error) {
      throw new Error(`${this.subject.name} failed in a burst`, { cause: error });
    }
  }

  async granted(seconds: number): Promise<Granted> {
    const before = await this.#leased();
    const began = Date.now();
    const { requests, failed, kinds } = await this.#load(seconds);
    const ended = Date.now();
    const other = Object.keys(kinds).filter((kind) => kind !== '429');
    if (other.length > 0) throw new Error(`${this.subject.name} answered ${JSON.stringify(kinds)}`);
    const windows = Math.floor(ended / 1000) - Math.floor(began / 1000) + 1;
    const isOurs = this.#agents.length > 0;
    const allowed = strictLimit * (isOurs ? 1 + (ended - began) / 1000 : windows);
    const after = await this.#leased();
    return {
      granted: requests - failed,
      allowed,
      asked: requests,
      fromLease: isOurs ? (after - before) / requests : undefined,
    };
  }

  close(): void {
    this.#client.close();
    this.#paced.close();
  }

  async #load(seconds: number) {
    const { address, port } = this.subject.probe;
    const load = new Load({ address, port }, { host: hostOf('strict'), connections, pauseMs });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return await load.stop();
  }

  /** How many requests were decided from leases so far. */
  async #leased(): Promise<number> {
    const pages = await Promise.all(this.#agents.map(async (agent) => (await fetch(`${agent}/api/v1/metrics`)).text()));
    const values = pages.flatMap((page) => [...page.matchAll(/^\w*shared_limit_leased\w*(?:\{.*\})? (\d+)/gm)]);
    return values.reduce((sum, [, value]) => sum + Number(value), 0);
  }
}

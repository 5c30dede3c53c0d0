import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { authorityOf, type Door, statusOf } from '../support/ask.ts';
import { Canary } from '../support/canary.ts';
import { hosts } from './objects.ts';

const pauseMs = 500;
const patienceMs = 60_000;
const readyMs = 300_000;

/** Requests of every part of the traffic, some each second, each with the answers that are right. */
export class Traffic {
  asked = 0;
  readonly wrong: string[] = [];
  readonly #door: Door;
  readonly #canaries: readonly Canary[];
  #isOver = false;
  readonly #running: Promise<unknown>;

  private constructor(door: Door) {
    this.#door = door;
    this.#canaries = [
      new Canary(door, { host: hosts.steady, expected: [200], pauseMs }),
      new Canary(door, { host: hosts.guarded, expected: [401], pauseMs }),
    ];
    this.#running = Promise.all([this.#chat(), this.#session()]);
  }

  /** Begins when each part of it is answered as it should be. */
  static async start(door: Door): Promise<Traffic> {
    const served = (host: string, expected: number) =>
      until(`${host} to be served`, async () => (await statusOf(door, host, false, patienceMs)) === expected, readyMs);
    await served(hosts.steady, 200);
    await served(hosts.guarded, 401);
    await until(
      'chats and sessions to be served',
      async () => (await sendChat(door, 0)).status === 200 && (await sendSession(door, undefined)).cookie !== undefined,
      readyMs,
    );
    return new Traffic(door);
  }

  /** @returns how many requests there were, and each wrong answer */
  async stop(): Promise<{ readonly requests: number; readonly wrong: readonly string[] }> {
    this.#isOver = true;
    await Promise.all([this.#running, ...this.#canaries.map((canary) => canary.stop())]);
    return {
      requests: this.#canaries.reduce((sum, { asked }) => sum + asked, this.asked),
      wrong: [...this.wrong, ...this.#canaries.flatMap(({ wrong }) => wrong)],
    };
  }

  /** Two chats a second in turn whole and streamed, of fifty teams. */
  async #chat(): Promise<void> {
    for (let at = 0; !this.#isOver; at += 1) {
      const { status } = await sendChat(this.#door, at);
      this.#judge(hosts.models, status);
      await delay(pauseMs);
    }
  }

  /** Clients that come back with their cookie, five times each. */
  async #session(): Promise<void> {
    let cookie: string | undefined;
    for (let at = 0; !this.#isOver; at += 1) {
      if (at % 5 === 0) cookie = undefined;
      const answer = await sendSession(this.#door, cookie);
      this.#judge(hosts.sticky, answer.status);
      cookie ??= answer.cookie;
      if (cookie === undefined) this.wrong.push(`${hosts.sticky}: no cookie at ${new Date().toISOString()}`);
      await delay(pauseMs);
    }
  }

  #judge(host: string, status: number): void {
    this.asked += 1;
    if (status !== 200) this.wrong.push(`${host}: ${status} at ${new Date().toISOString()}`);
  }
}

function sendChat(door: Door, at: number): Promise<Answer> {
  const messages = [{ role: 'user', content: JSON.stringify({ used: { input: 100 + (at % 50), output: 20 } }) }];
  const body = JSON.stringify({ model: 'gpt-4o', stream: at % 2 === 0, messages });
  const host = authorityOf(hosts.models, door);
  const headers = { host, 'content-type': 'application/json', 'x-team': `team-${at % 50}` };
  return send(door, { method: 'POST', path: '/v1/chat/completions', headers, body });
}

function sendSession(door: Door, cookie: string | undefined): Promise<Answer> {
  const headers = { host: authorityOf(hosts.sticky, door), ...(cookie !== undefined && { cookie }) };
  return send(door, { method: 'GET', path: '/', headers });
}

/** Status 0: no answer. */
interface Answer {
  readonly status: number;
  readonly cookie: string | undefined;
}

function send({ address, port }: Door, { body = '', ...options }: Message): Promise<Answer> {
  return new Promise((resolve) => {
    const nothing = () => resolve({ status: 0, cookie: undefined });
    const asked = request({ ...options, host: address, port, agent: false, timeout: patienceMs }, (response) => {
      const cookie = response.headers['set-cookie']?.[0]?.split(';')[0];
      response.resume();
      response.once('end', () => resolve({ status: response.statusCode ?? 0, cookie }));
      response.once('error', nothing);
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', nothing);
    asked.end(body);
  });
}

interface Message {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

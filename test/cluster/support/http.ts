import { Agent, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** So long that only a request that is lost takes longer, also where dozens of processes share two cores. */
const answerTimeoutMs = 20_000;

/** Asks for a path on an address, in the name of a host, over a connection of its own. Rejects when no answer comes in time. */
export function get(address: string, path: string, host: string, port = 80): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ keepAlive: false });
    const asked = request(
      { host: address, port, path, headers: { host }, agent, timeout: answerTimeoutMs },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.once('error', reject);
      },
    );
    asked.once('timeout', () => asked.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    asked.once('error', reject);
    asked.end();
  });
}

/** Asks again and again until stopped, and counts what came back. */
export class Load {
  readonly #answers = new Map<string, number>();
  readonly #failedAt: number[] = [];
  readonly #ended: Promise<void>;
  #isStopped = false;

  constructor(ask: () => Promise<Answer>) {
    this.#ended = this.#run(ask);
  }

  /** How often each outcome came: a status, or the code of an error. */
  async stop(): Promise<Record<string, number>> {
    this.#isStopped = true;
    await this.#ended;
    return Object.fromEntries(this.#answers);
  }

  /** When a request ended otherwise than with 200, by `Date.now`. */
  get failedAt(): readonly number[] {
    return this.#failedAt;
  }

  async #run(ask: () => Promise<Answer>): Promise<void> {
    while (!this.#isStopped) {
      const outcome = await ask().then(
        ({ status }) => String(status),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      if (outcome !== '200') this.#failedAt.push(Date.now());
      this.#answers.set(outcome, (this.#answers.get(outcome) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

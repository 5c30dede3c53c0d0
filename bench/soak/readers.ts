import { setTimeout as delay } from 'node:timers/promises';

/** What people, dashboards and scripts ask again and again. */
const questions = [
  '/v1/summary',
  '/v1/routes?limit=50&sort=name',
  '/v1/routes?view=columns',
  '/v1/problems',
  '/v1/nodes',
  '/v1/traffic',
  '/v1/ai/overview',
  '/v1/snapshot-sync',
];
const pauseMs = 1000;

/** Readers of the admin API: one question a second, two that follow all events, and one that begins to follow and goes again. */
export class Readers {
  asked = 0;
  readonly wrong: string[] = [];
  readonly #admin: string;
  readonly #over = new AbortController();
  readonly #running: Promise<unknown>;

  /** `admin`: URL of the admin API. */
  constructor(admin: string) {
    this.#admin = admin;
    this.#running = Promise.all([this.#ask(), this.#follow(), this.#follow(), this.#come()]);
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#running;
  }

  get #goesOn(): boolean {
    return !this.#over.signal.aborted;
  }

  async #ask(): Promise<void> {
    for (let at = 0; this.#goesOn; at += 1) {
      const question = questions[at % questions.length];
      const answer = await fetch(`${this.#admin}${question}`, { signal: this.#over.signal }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      this.asked += 1;
      if (this.#goesOn && answer?.status !== 200)
        this.wrong.push(`${question}: ${answer?.status} at ${new Date().toISOString()}`);
      await this.#pause(pauseMs);
    }
  }

  async #follow(signal: AbortSignal = this.#over.signal): Promise<void> {
    try {
      const { body } = await fetch(`${this.#admin}/v1/events`, { signal });
      for await (const _ of body ?? []);
    } catch (error) {
      if (!signal.aborted) this.wrong.push(`/v1/events: ${(error as Error).message}`);
    }
  }

  async #come(): Promise<void> {
    while (this.#goesOn) await this.#follow(AbortSignal.any([this.#over.signal, AbortSignal.timeout(5 * pauseMs)]));
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#over.signal }).catch(() => undefined);
  }
}

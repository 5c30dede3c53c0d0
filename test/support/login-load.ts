import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { exactHost, type LoginWorld, lateHost } from './login-world.ts';
import { pause } from './pace.ts';
import { until } from './until.ts';

type Ask = () => Promise<{ readonly status: number }>;

/** Clients that ask without end: what each of them got, by the phase in which it asked and was answered. */
export class LoginLoad {
  phase = 'before';
  readonly #seen = new Map<string, number>();
  readonly #clients: Promise<void>[] = [];
  #running = true;

  add(who: string, ask: Ask): void {
    this.#clients.push(this.#ask(who, ask));
  }

  /** How often a client was answered so, in this phase. */
  count(who: string, answer: string): number {
    return this.#seen.get(lineOf(who, this.phase, answer)) ?? 0;
  }

  /** Waits for so many more of these answers in this phase. */
  async more(who: string, answer: string, times = 20): Promise<void> {
    const before = this.count(who, answer);
    await until(`${who} to be answered ${answer}, ${this.phase}`, () => this.count(who, answer) >= before + times);
  }

  /** Ends all clients. @returns the different answers that each of them got, in all phases */
  async stop(): Promise<Readonly<Record<string, readonly string[]>>> {
    this.#running = false;
    await Promise.all(this.#clients);
    const answers = [...this.#seen.keys()].map((line) => line.split(' | '));
    const byClient = Object.groupBy(answers, ([who = '']) => who);
    return Object.fromEntries(
      Object.entries(byClient).map(([who, lines = []]) => [
        who,
        [...new Set(lines.map((line) => String(line[2])))].sort(),
      ]),
    );
  }

  /** Each line with its count, for the log of a test. */
  lines = (): readonly string[] => [...this.#seen].map(([line, times]) => `${line} × ${times}`);

  async #ask(who: string, ask: Ask): Promise<void> {
    while (this.#running) {
      const { phase } = this;
      const answer = await ask().then(
        ({ status }) => String(status),
        (error: Error) => error.message,
      );
      const line = lineOf(who, phase === this.phase ? phase : `${phase} to ${this.phase}`, answer);
      this.#seen.set(line, (this.#seen.get(line) ?? 0) + 1);
      await pause();
    }
  }
}

const lineOf = (who: string, phase: string, answer: string): string => [who, phase, answer].join(' | ');

/** What a policy's `denyRedirect` may name. */
export const asScript = { 'x-requested-with': 'script' } as const;

/** Where strangers ask. */
export const strangersPath = '/stranger';

/** Clients without a login: with no cookie, and with the names of a user's and texts of their own. */
export function addStrangers(load: LoginLoad, { page }: LoginWorld, user: ScriptedBrowser): void {
  for (const host of [exactHost, lateHost]) {
    const url = page(host, strangersPath);
    const cookie = user
      .cookiesFor(url)
      .map(({ name }) => `${name}=${name.endsWith('-expires') ? '9999999999' : 'x'}`)
      .join('; ');
    load.add('stranger', () => new ScriptedBrowser().ask(url));
    load.add('script', () => new ScriptedBrowser().ask(url, { headers: asScript }));
    load.add('forger', () => new ScriptedBrowser().ask(url, { headers: { cookie } }));
  }
}

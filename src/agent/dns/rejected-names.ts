import type { Logger } from '../../telemetry/index.ts';

/** One name of which answers were left out. */
export interface RejectedName {
  readonly name: string;
  /** What it led to, for people. */
  readonly message: string;
  readonly at: Date;
  readonly times: number;
}

/** A name that nothing asks for any more is forgotten: Envoy asks again within minutes for what leads nowhere. */
const keptMs = 1_800_000;
/** So many names are remembered, the newest ones. */
const maxNames = 1000;
/** A name is logged again after so long. */
const logEveryMs = 600_000;
/** So many lines a minute, whatever number of names. */
const maxLinesPerMinute = 30;
const minuteMs = 60_000;
const maxMessage = 500;

/** The names that led where they must not: counted, remembered for reports, and logged with measure. */
export class RejectedNames {
  readonly #logger: Logger;
  readonly #now: () => Date;
  readonly #names = new Map<string, RejectedName & { readonly loggedAt: number }>();
  #total = 0;
  #minute = 0;
  #lines = 0;

  constructor({ logger, now }: { readonly logger: Logger; readonly now: () => Date }) {
    this.#logger = logger;
    this.#now = now;
  }

  /** How many answers were left out since the start. */
  get total(): number {
    return this.#total;
  }

  /** The newest last. */
  list(): readonly RejectedName[] {
    const since = this.#now().getTime() - keptMs;
    const fresh = [...this.#names.values()].filter(({ at }) => at.getTime() >= since);
    return fresh.map(({ name, message, at, times }) => ({ name, message, at, times }));
  }

  add(name: string, rejected: readonly string[]): void {
    this.#total += rejected.length;
    const at = this.#now();
    const before = this.#names.get(name);
    const message = rejected.join('; ').slice(0, maxMessage);
    const isNews = !before || at.getTime() - before.loggedAt >= logEveryMs;
    const logged = isNews && this.#mayLog(at.getTime());
    if (logged) this.#logger.warn({ name, reason: message }, 'a name leads where no request may be sent');
    this.#names.delete(name);
    this.#names.set(name, {
      name,
      message,
      at,
      times: (before?.times ?? 0) + rejected.length,
      loggedAt: logged ? at.getTime() : (before?.loggedAt ?? Number.NEGATIVE_INFINITY),
    });
    const [oldest] = this.#names.keys();
    if (this.#names.size > maxNames && oldest !== undefined) this.#names.delete(oldest);
  }

  /** All that it leads to now is fine. */
  clear(name: string): void {
    this.#names.delete(name);
  }

  #mayLog(nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs);
    if (minute !== this.#minute) this.#lines = 0;
    this.#minute = minute;
    this.#lines += 1;
    return this.#lines <= maxLinesPerMinute;
  }
}

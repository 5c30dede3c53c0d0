import type { FailureReport } from '../contracts/index.ts';

/** A failed request as it is kept. `at`: by the control plane's clock. */
export interface Failure extends FailureReport {
  readonly id: string;
  readonly node: string;
  /** Key of the proxies. */
  readonly fleet: string;
}

const mostKept = 2000;
/** Of one rule, flags and status, so that a loud one does not push out a rare one. */
const mostAlike = 50;

/** The newest failed requests. */
export class FailureRing {
  readonly #kept = new Map<string, Failure>();
  readonly #alike = new Map<string, string[]>();
  #last = 0;

  add(failure: Omit<Failure, 'id'>): void {
    this.#last += 1;
    const kept = { ...failure, id: `${failure.at.toString(36)}-${this.#last.toString(36)}` };
    const ids = this.#alike.get(likenessOf(kept)) ?? [];
    this.#alike.set(likenessOf(kept), ids);
    ids.push(kept.id);
    this.#kept.set(kept.id, kept);
    if (ids.length > mostAlike) this.#remove(ids[0] as string);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#remove(oldest);
  }

  /** The newest first. */
  list(): Failure[] {
    return [...this.#kept.values()].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
  }

  #remove(id: string): void {
    const failure = this.#kept.get(id);
    if (failure === undefined) return;
    this.#kept.delete(id);
    const key = likenessOf(failure);
    const ids = (this.#alike.get(key) ?? []).filter((each) => each !== id);
    if (ids.length === 0) this.#alike.delete(key);
    else this.#alike.set(key, ids);
  }
}

const likenessOf = ({ fleet, route, flags, status }: Omit<Failure, 'id'>): string =>
  `${fleet}\n${route}\n${flags.join()}\n${status}`;

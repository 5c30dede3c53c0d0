/** What is counted apart: the proxies of a fleet, and Envoy's names of listener, rule and backend there; empty where there was none. */
export interface Subject {
  readonly fleet: string;
  readonly listener: string;
  /** `KIND/NAMESPACE/NAME/rule/NUMBER`, or a name of the proxy itself, such as `gatewright/not-found`. */
  readonly route: string;
  readonly backend: string;
}

/** Stands for all subjects that are not counted apart any more. */
export const otherName = '(other)';

/** Stands for routes that are none of the Gateway's, or no longer. */
export const unknownRoute = '(unknown)';

/**
 * Numbers for subjects, so that counts of many times name each but once. A subject is let go when nothing counts it any more; there are at most `most`
 * at once.
 */
export class Subjects {
  readonly #most: number;
  readonly #numbers = new Map<string, number>();
  readonly #byNumber = new Map<number, { readonly subject: Subject; uses: number }>();
  /** Numbers are given once, so that a reader in portions takes none for another. */
  #last = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** Undefined when there are too many. */
  numberOf(subject: Subject): number | undefined {
    return this.#numbers.size < this.#most || this.#isKnown(subject) ? this.numberAlways(subject) : undefined;
  }

  /** Also when there are too many: for the few subjects that stand for all others. */
  numberAlways(subject: Subject): number {
    const { fleet, listener, route, backend } = subject;
    const key = keyOf(subject);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(key, this.#last);
    this.#byNumber.set(this.#last, { subject: { fleet, listener, route, backend }, uses: 0 });
    return this.#last;
  }

  subjectOf(number: number): Subject {
    return this.#get(number).subject;
  }

  /** One more time counts it. */
  use(number: number): void {
    this.#get(number).uses += 1;
  }

  /** A time that counted it is over. */
  release(number: number): void {
    const known = this.#get(number);
    known.uses -= 1;
    if (known.uses > 0) return;
    this.#numbers.delete(keyOf(known.subject));
    this.#byNumber.delete(number);
  }

  #get(number: number): { readonly subject: Subject; uses: number } {
    const known = this.#byNumber.get(number);
    if (known === undefined) throw new Error(`there is no subject ${number}`);
    return known;
  }

  #isKnown(subject: Subject): boolean {
    return this.#numbers.has(keyOf(subject));
  }
}

const keyOf = ({ fleet, listener, route, backend }: Subject): string => `${fleet}\n${listener}\n${route}\n${backend}`;

/** What a request asks to be answered, over and above future changes. */
export interface Asked {
  /** All resources of the type. */
  readonly everything: boolean;
  /** Named resources, to be answered even when they do not exist. */
  readonly names: readonly string[];
  /** Names that are no longer subscribed. */
  readonly dropped: readonly string[];
}

/** A subscription request of the delta protocol. */
export interface DeltaInterest {
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
}

const wildcardName = '*';

/**
 * What one stream wants of one type: everything (`*`), some names, or both. A name asked for by itself stays subscribed
 * when `*` is given up (xDS protocol, "How the client specifies what resources to return").
 */
export class Subscription {
  readonly #intern: (name: string) => string;
  readonly #names = new Set<string>();
  #wildcard = false;
  #asked = false;
  #textLength = 0;

  /** `intern` gives the copy of a name that is in memory anyhow; there are many streams and many names. */
  constructor(intern: (name: string) => string = (name) => name) {
    this.#intern = intern;
  }

  get wildcard(): boolean {
    return this.#wildcard;
  }

  /** The names asked for one by one. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** How many characters the names have together. */
  get textLength(): number {
    return this.#textLength;
  }

  covers(name: string): boolean {
    return this.#wildcard || this.#names.has(name);
  }

  /**
   * Delta: names come and go one by one. Asking again for what is subscribed already is to be answered again. A name that
   * is given up while `*` covers it is answered once more, so that the client knows what `*` says of it.
   */
  applyDelta(interest: DeltaInterest, wildcardByDefault: boolean): Asked {
    const first = !this.#asked;
    this.#asked = true;
    const everything = interest.subscribe.includes(wildcardName) || (first && wildcardByDefault && isEmpty(interest));
    if (everything) this.#wildcard = true;
    if (interest.unsubscribe.includes(wildcardName)) this.#wildcard = false;
    const names = this.#add(interest.subscribe);
    const gone = this.#remove(interest.unsubscribe);
    return this.#wildcard
      ? { everything, names: [...names, ...gone], dropped: [] }
      : { everything, names, dropped: gone };
  }

  /** State of the world: each request says all names again; none means everything until a name was ever given. */
  applySotw(names: readonly string[], wildcardByDefault: boolean): Asked {
    const first = !this.#asked;
    this.#asked = true;
    const before = this.#wildcard;
    const none = names.length === 0;
    this.#wildcard = names.includes(wildcardName) || (none && wildcardByDefault && (first || before));
    const wanted = new Set(names);
    const dropped = this.#remove([...this.#names].filter((name) => !wanted.has(name)));
    const added = this.#add(names.filter((name) => !this.#names.has(name)));
    return { everything: this.#wildcard && !before, names: added, dropped: this.#wildcard ? [] : dropped };
  }

  #add(names: readonly string[]): string[] {
    const added = names.filter((name) => name !== wildcardName).map(this.#intern);
    for (const name of added) {
      if (this.#names.has(name)) continue;
      this.#names.add(name);
      this.#textLength += name.length;
    }
    return added;
  }

  #remove(names: readonly string[]): string[] {
    const removed = names.filter((name) => name !== wildcardName && this.#names.delete(name));
    for (const name of removed) this.#textLength -= name.length;
    return removed;
  }
}

const isEmpty = (interest: DeltaInterest): boolean =>
  interest.subscribe.length === 0 && interest.unsubscribe.length === 0;

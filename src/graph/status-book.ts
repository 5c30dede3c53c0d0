import type { KindName, Status } from '../gateway-api/index.ts';
import type { Former, FormerEntries } from './former.ts';

/** A wished status that is new, different or (without `status`) no longer ours to give. */
export interface StatusChange {
  readonly kind: KindName;
  readonly key: string;
  readonly status: Status | undefined;
}

interface Wish {
  readonly text: string;
  readonly status: Status;
}

/** The status we wish each object to have, and which of them changed in meaning since they were last told. */
export class StatusBook {
  readonly #wished = new Map<string, Wish>();
  readonly #changes = new Map<string, StatusChange>();
  readonly #former: FormerEntries<Wish>;

  constructor(former: Former) {
    this.#former = former.entries();
  }

  set(kind: KindName, key: string, status: Status | undefined): void {
    const place = `${kind} ${key}`;
    const text = status && JSON.stringify(status);
    const before = this.#wished.get(place);
    if (before?.text === text) return;
    this.#former.note(place, before);
    if (status && text) this.#wished.set(place, { text, status });
    else this.#wished.delete(place);
    this.#changes.set(place, { kind, key, status });
  }

  /** The object is gone, and may come back before the next build: another one, which is to be told what this one was. */
  renew(kind: KindName, key: string): void {
    const place = `${kind} ${key}`;
    const wish = this.#wished.get(place);
    if (wish) this.#wished.set(place, { ...wish, text: '' });
  }

  find(kind: KindName, key: string): Status | undefined {
    return this.#wished.get(`${kind} ${key}`)?.status;
  }

  /** The same for whoever looks on: as of the last build that is over. */
  findTold(kind: KindName, key: string): Status | undefined {
    return this.#former.find(`${kind} ${key}`, this.#wished)?.status;
  }

  takeChanges(): StatusChange[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    return changes;
  }
}

import type { KindName, Status } from '../gateway-api/index.ts';

/** A wished status that is new, different or (without `status`) no longer ours to give. */
export interface StatusChange {
  readonly kind: KindName;
  readonly key: string;
  readonly status: Status | undefined;
}

/** The status we wish each object to have, and which of them changed in meaning since they were last told. */
export class StatusBook {
  readonly #wished = new Map<string, { readonly text: string; readonly status: Status }>();
  readonly #changes = new Map<string, StatusChange>();

  set(kind: KindName, key: string, status: Status | undefined): void {
    const place = `${kind} ${key}`;
    const text = status && JSON.stringify(status);
    if (this.#wished.get(place)?.text === text) return;
    if (status && text) this.#wished.set(place, { text, status });
    else this.#wished.delete(place);
    this.#changes.set(place, { kind, key, status });
  }

  find(kind: KindName, key: string): Status | undefined {
    return this.#wished.get(`${kind} ${key}`)?.status;
  }

  takeChanges(): StatusChange[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    return changes;
  }
}

import { isDeepStrictEqual } from 'node:util';
import type { KindName, Status } from '../../gateway-api/index.ts';
import { flatten } from '../../std/memory/index.ts';
import type { CommittedEntries, CommittedView } from './committed-view.ts';

/** A desired status that is new, different or (without `status`) no longer ours to give. */
export interface StatusChange {
  readonly kind: KindName;
  readonly key: string;
  readonly status: Status | undefined;
}

const placeOf = (kind: KindName, key: string): string => flatten([kind, key], ' ');

/** The desired status of each object, and which of them changed in meaning since the last report. */
export class StatusBook {
  readonly #desired = new Map<string, Status>();
  /** What must be reported again, whatever status is set next. */
  readonly #stale = new Set<string>();
  readonly #changes = new Map<string, StatusChange>();
  readonly #committed: CommittedEntries<Status>;

  constructor(former: CommittedView) {
    this.#committed = former.entries();
  }

  set(kind: KindName, key: string, status: Status | undefined): void {
    const place = placeOf(kind, key);
    const before = this.#desired.get(place);
    if (!this.#stale.delete(place) && isDeepStrictEqual(before, status)) return;
    this.#committed.note(place, before);
    if (status) this.#desired.set(place, status);
    else this.#desired.delete(place);
    this.#changes.set(place, { kind, key, status });
  }

  /** The object is gone and may come back before the next build. The new object needs the report that the old one had. */
  renew(kind: KindName, key: string): void {
    const place = placeOf(kind, key);
    if (this.#desired.has(place)) this.#stale.add(place);
  }

  find(kind: KindName, key: string): Status | undefined {
    return this.#desired.get(placeOf(kind, key));
  }

  /** The same for readers outside the build: as of the last finished build. */
  findCommitted(kind: KindName, key: string): Status | undefined {
    return this.#committed.find(placeOf(kind, key), this.#desired);
  }

  /** Changes that are not taken yet. */
  pending(): Iterable<StatusChange> {
    return this.#changes.values();
  }

  takeChanges(): StatusChange[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    return changes;
  }
}

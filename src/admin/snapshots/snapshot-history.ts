import type { ObjectReference } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';

/** A snapshot that was published lately, and how it differs from the one before. */
export interface PastSnapshot {
  readonly id: string;
  readonly at: Date;
  /** The first of the objects that changed, and how many they were. */
  readonly changed: readonly ObjectReference[];
  readonly changedCount: number;
  /** What is different; only the first when there are very many. */
  readonly changes: readonly ir.Change[];
  readonly changeCount: number;
  /** From the first of these changes until all proxies had it; undefined: not yet, or not known. */
  readonly convergedMs?: number;
}

/** What lies between two snapshots. */
export interface Span {
  readonly changes: readonly ir.Change[];
  /** False when one of the steps had more changes than are kept. */
  readonly isComplete: boolean;
  /** What a table demanded at the end; `newest` is what it demands now, for one that has not changed since. */
  readonly guardsAfter: (
    gateway: string,
    table: string,
    newest: () => ir.TableGuards | undefined,
  ) => ir.TableGuards | undefined;
}

const mostKept = 20;
/** A load of thousands of routes would keep all that was before it in memory. */
const mostChanges = 500;

/** The newest snapshots by how each differs from the one before: memory follows what changed, not what there is. */
export class SnapshotHistory {
  readonly #kept: PastSnapshot[] = [];

  /** Takes a snapshot that was published. The first stands for all that was there: it has no differences. */
  add(past: Omit<PastSnapshot, 'changeCount' | 'convergedMs'>): void {
    const changes = this.#kept.length === 0 ? [] : past.changes;
    this.#kept.push({ ...past, changes: first(mostChanges, changes), changeCount: changes.length });
    if (this.#kept.length > mostKept) this.#kept.shift();
  }

  /** All proxies have a snapshot, or a newer one. */
  converged(id: string, convergedMs: number): void {
    const place = this.#kept.findLastIndex((past) => past.id === id);
    const past = this.#kept[place];
    if (past !== undefined) this.#kept[place] = { ...past, convergedMs };
  }

  /** The newest first. */
  list(): readonly PastSnapshot[] {
    return this.#kept.toReversed();
  }

  /** What lies between two of them, each once, without what came and went. Undefined when `from` is not kept, or is newer than `to`. */
  between(from: string, to: string): Span | undefined {
    const end = this.#kept.findLastIndex(({ id }) => id === to);
    const start = this.#kept.slice(0, end + 1).findLastIndex(({ id }) => id === from);
    if (end < 0 || start < 0) return undefined;
    const steps = this.#kept.slice(start + 1, end + 1);
    return {
      changes: joined(steps.flatMap(({ changes }) => changes)),
      isComplete: steps.every(({ changes, changeCount }) => changes.length === changeCount),
      guardsAfter: (gateway, table, newest) => {
        const later = this.#kept
          .slice(end + 1)
          .flatMap(({ changes }) => changes)
          .find((change) => change.kind === 'table' && change.gateway === gateway && change.table === table);
        return later?.kind === 'table' ? later.before?.access : newest();
      },
    };
  }
}

/** Those of tables before all others: they say what every request to their hosts has to show. */
const first = (most: number, changes: readonly ir.Change[]): readonly ir.Change[] =>
  changes.length <= most ? changes : changes.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, most);
const rankOf = ({ kind }: ir.Change): number => (kind === 'table' ? 0 : 1);

function joined(changes: readonly ir.Change[]): readonly ir.Change[] {
  const byPlace = new Map<string, ir.Change>();
  for (const change of changes) {
    const place = placeOf(change);
    const earlier = byPlace.get(place);
    // Both are of one kind, as the key has it.
    byPlace.set(place, earlier === undefined ? change : ({ ...change, before: earlier.before } as ir.Change));
  }
  return [...byPlace.values()].filter(({ before, after }) => before !== after);
}

function placeOf(change: ir.Change): string {
  const { kind, gateway } = change;
  if (kind === 'gateway') return JSON.stringify([kind, gateway]);
  if (kind === 'table') return JSON.stringify([kind, gateway, change.table]);
  if (kind === 'virtualHost') return JSON.stringify([kind, gateway, change.table, change.scope, change.host]);
  if (kind === 'stream') return JSON.stringify([kind, gateway, change.table, change.host]);
  return JSON.stringify([kind, gateway, change.key]);
}

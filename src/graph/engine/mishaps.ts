import type { Condition, KindName, Status } from '../../gateway-api/index.ts';
import { type ConditionFault, conditionOf } from '../model/index.ts';
import { BuildFault } from './build-fault.ts';
import type { Dirty } from './dirty.ts';
import type { KindModules } from './kind-module.ts';

/** An exception while an object was resolved, which is an error of ours, whatever is in the object. */
export interface Mishap {
  readonly kind: KindName;
  readonly key: string;
  readonly error: unknown;
}

/** What conditions say of it. The error itself is in the log alone, for it may name what is secret. */
export const mishapFault: ConditionFault = {
  reason: 'InternalError',
  message:
    'the control plane failed to resolve this because of an error of its own, and serves nothing of it: its log has the error, which is worth a report; any change of the object is tried',
};

/** The status of an object that has one: it is not accepted, wherever the status says whether it is. */
export function withMishap(status: Status, generation: number): Status {
  const accepted = conditionOf('Accepted', generation, mishapFault);
  const said = ({ conditions }: { readonly conditions: readonly Condition[] }) => ({
    conditions: [accepted, ...conditions.filter(({ type }) => type !== 'Accepted')],
  });
  if ('ancestors' in status)
    return { ...status, ancestors: status.ancestors.map((each) => ({ ...each, ...said(each) })) };
  if ('parents' in status)
    return { ...status, parents: status.parents.map((each) => ({ ...each, ...said(each) })) } as Status;
  return { ...status, ...said(status) } as Status;
}

/**
 * Keeps an exception to the object that it is about. The work of a build comes in pieces, such as one route: what went wrong in a piece is
 * known until that piece is done again. A BuildFault is no mishap, and goes through.
 */
export class Mishaps {
  /** By piece of work; most graphs have none. */
  readonly #byWork = new Map<string, Mishap[]>();
  readonly #dirty: Dirty;
  readonly #kinds: KindModules;
  readonly #report: (mishap: Mishap) => void;
  #work = '';

  /** `report`: called for each, each time that it happens. */
  constructor(dirty: Dirty, kinds: KindModules, report: (mishap: Mishap) => void = () => undefined) {
    this.#dirty = dirty;
    this.#kinds = kinds;
    this.#report = report;
  }

  /** Does a piece of work, for which what went wrong in it before is forgotten. */
  during<T>(work: string, run: () => T): T {
    const before = this.#byWork.get(work);
    if (before) this.#byWork.delete(work);
    for (const mishap of before ?? []) this.#mark(mishap);
    this.#work = work;
    return run();
  }

  /** What `run` gives, or `instead` where it throws; the object is to blame then. */
  guard<T>(kind: KindName, key: string, run: () => T, instead: () => T): T {
    try {
      return run();
    } catch (error) {
      this.note(kind, key, error);
      return instead();
    }
  }

  /** Something went wrong in the piece of work under way. @throws a BuildFault as it is */
  note(kind: KindName, key: string, error: unknown): void {
    if (error instanceof BuildFault) throw error;
    const mishap = { kind, key, error };
    const known = this.#byWork.get(this.#work) ?? [];
    if (known.some((each) => each.kind === kind && each.key === key)) return;
    this.#byWork.set(this.#work, [...known, mishap]);
    this.#mark(mishap);
    this.#report(mishap);
  }

  /** Each object once. */
  list(): Iterable<Mishap> {
    return new Map([...this.#all()].map((mishap) => [`${mishap.kind} ${mishap.key}`, mishap])).values();
  }

  has(kind: KindName, key: string): boolean {
    return this.#byWork.size > 0 && [...this.#all()].some((each) => each.kind === kind && each.key === key);
  }

  *#all(): Iterable<Mishap> {
    for (const mishaps of this.#byWork.values()) yield* mishaps;
  }

  /** Statuses that no stage of the build makes say it. */
  #mark({ kind, key }: Mishap): void {
    const { shape } = this.#kinds[kind].status;
    if (shape !== 'stage' && shape !== 'none') this.#dirty.markStatus(kind, key);
  }
}

import type { KindName, ObjectByKind } from '../gateway-api/index.ts';
import {
  type AnyKindModule,
  type Change,
  type Dirty,
  type Edges,
  fingerprint,
  type KindModules,
  type Mishaps,
  type Store,
} from './engine/index.ts';

interface ObjectChangesDeps {
  readonly kinds: KindModules;
  readonly dirty: Dirty;
  readonly store: Store;
  readonly edges: Edges;
  readonly mishaps: Mishaps;
}

/** What a change of an object means for the next build, by the module of its kind. */
export class ObjectChanges {
  readonly #deps: ObjectChangesDeps;

  constructor(deps: ObjectChangesDeps) {
    this.#deps = deps;
  }

  /** Whether two versions of an object may lead to different builds. */
  isRelevant<K extends KindName>(kind: K, before: ObjectByKind[K], after: ObjectByKind[K]): boolean {
    const module = this.#deps.kinds[kind] as Pick<AnyKindModule, 'relevant'>;
    try {
      return fingerprint(module, before) !== fingerprint(module, after);
    } catch {
      // What cannot be read is marked, which reports it.
      return true;
    }
  }

  /** Marks what uses code that came or went. The store has it already. */
  markCode(source: string): void {
    const { kinds, mishaps: _, ...parts } = this.#deps;
    for (const { marksCode } of Object.values(kinds)) marksCode?.(source, parts);
  }

  /** Marks what uses databases of places that proxies can, or cannot use any more. */
  markDatabases(): void {
    const { kinds, mishaps: _, ...parts } = this.#deps;
    for (const { marksDatabases } of Object.values(kinds)) marksDatabases?.(parts);
  }

  /** Marks what is to be resolved again. The object is stored, or removed, already. */
  mark<K extends KindName>(
    kind: K,
    key: string,
    before: ObjectByKind[K] | undefined,
    after: ObjectByKind[K] | undefined,
  ): void {
    const { kinds, mishaps, ...parts } = this.#deps;
    const change = { kind, key, before, after };
    const mark = () => {
      parts.edges.set(kind, key, after);
      parts.edges.mark(change as Change, parts);
      kinds[kind].marks(change, parts);
    };
    mishaps.during(`input ${kind} ${key}`, () => mishaps.guard(kind, key, mark, () => undefined));
  }
}

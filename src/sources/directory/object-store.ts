import { createHash } from 'node:crypto';
import { apiVersionOf, type Kind, type KubernetesObject, kinds, objectKey } from '../../gateway-api/index.ts';
import { prune } from '../../kube/index.ts';
import type { ResourceEvent } from '../source.ts';
import type { Position } from './manifest.ts';

/** One object as one file has it. */
export interface Entry {
  readonly kind: Kind;
  readonly object: KubernetesObject;
  readonly position: Position;
}

/** Two files that have the same object. */
export interface Duplicate {
  readonly file: string;
  readonly entry: Entry;
  /** The file whose object counts. */
  readonly winner: string;
  readonly winnerPosition: Position;
}

interface Live {
  readonly kind: Kind;
  readonly object: KubernetesObject;
  readonly specDigest: string;
}

/** What identifies an object in a store: `HTTPRoute NAMESPACE/NAME`. */
export const storeId = (
  kind: Kind,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string => `${kind.name} ${objectKey(namespace, name)}`;

export const idOf = ({ kind, object }: Entry): string => storeId(kind, object.metadata);

const kindOrder = new Map(Object.values(kinds).map((kind, index) => [kind.name as string, index]));

/**
 * The objects of all files together, with the metadata that an API server would give them. Files claim objects; `commit` resolves who has
 * which and reports the difference to the last report. When two files have the same object, the first by path counts. A namespace that
 * an object is in exists, declared or not.
 */
export class ObjectStore {
  readonly #emit: (event: ResourceEvent) => void;
  /** By file, then by id. */
  readonly #files = new Map<string, ReadonlyMap<string, Entry>>();
  /** Files by id. */
  readonly #claims = new Map<string, Set<string>>();
  readonly #live = new Map<string, Live>();
  /** Live objects in each namespace, without Namespaces themselves. */
  readonly #population = new Map<string, number>();
  readonly #touched = new Set<string>();
  readonly #contested = new Set<string>();

  constructor(emit: (event: ResourceEvent) => void) {
    this.#emit = emit;
  }

  /** The object that was reported last. */
  find(id: string): KubernetesObject | undefined {
    return this.#live.get(id)?.object;
  }

  /** The objects of a kind that were reported. */
  list(kind: Kind): readonly KubernetesObject[] {
    return [...this.#live.values()].filter((live) => live.kind.name === kind.name).map(({ object }) => object);
  }

  /** The files that have the object, the one that counts first. */
  filesOf(id: string): readonly string[] {
    return this.#filesOf(id);
  }

  /** The object as it would be reported if a file had it like this; nothing is reported or kept. */
  preview(kind: Kind, written: KubernetesObject, now: Date): KubernetesObject {
    return bringToLife({ kind, object: written }, this.#live.get(storeId(kind, written.metadata)), now).object;
  }

  entriesOf(file: string): ReadonlyMap<string, Entry> {
    return this.#files.get(file) ?? new Map();
  }

  /** Sets what a file has now; nothing is reported before `commit`. */
  setFile(file: string, entries: ReadonlyMap<string, Entry>): void {
    for (const id of this.entriesOf(file).keys()) {
      this.#claims.get(id)?.delete(file);
      this.#touched.add(id);
    }
    for (const id of entries.keys()) {
      const files = this.#claims.get(id) ?? new Set();
      this.#claims.set(id, files.add(file));
      this.#touched.add(id);
    }
    if (entries.size === 0) this.#files.delete(file);
    else this.#files.set(file, entries);
  }

  /** Reports what changed; `now` is the creation time of what is new. Returns every object that is in several files. */
  commit(now: Date): readonly Duplicate[] {
    // By id, for files are read side by side: the same directory is reported in the same order.
    const changes = [...this.#touched]
      .sort()
      .map((id) => this.#resolve(id, now))
      .filter((change) => change !== undefined);
    this.#touched.clear();
    for (const change of changes) this.#count(change);
    const namespaces = changes.map(({ object }) => object.metadata.namespace).filter((name) => name !== undefined);
    const implied = [...new Set(namespaces)].map((name) => this.#resolve(storeId(kinds.Namespace, { name }), now));
    for (const event of inOrder([...changes, ...implied.filter((change) => change !== undefined)])) this.#emit(event);
    return [...this.#contested].sort().flatMap((id) => this.#duplicatesOf(id));
  }

  #resolve(id: string, now: Date): ResourceEvent | undefined {
    const files = this.#claims.get(id);
    if (files?.size === 0) this.#claims.delete(id);
    if ((files?.size ?? 0) > 1) this.#contested.add(id);
    else this.#contested.delete(id);
    const wanted = this.#wanted(id);
    const before = this.#live.get(id);
    if (wanted === undefined) {
      if (before === undefined) return undefined;
      this.#live.delete(id);
      return { type: 'deleted', kind: before.kind, object: before.object };
    }
    const after = bringToLife(wanted, before, now);
    if (after.object.metadata.resourceVersion === before?.object.metadata.resourceVersion) return undefined;
    this.#live.set(id, after);
    return { type: before === undefined ? 'added' : 'modified', kind: after.kind, object: after.object };
  }

  #wanted(id: string): Pick<Entry, 'kind' | 'object'> | undefined {
    const [winner] = this.#filesOf(id);
    if (winner !== undefined) return this.#files.get(winner)?.get(id);
    const name = id.startsWith('Namespace ') ? id.slice('Namespace '.length) : undefined;
    return name !== undefined && (this.#population.get(name) ?? 0) > 0 ? impliedNamespace(name) : undefined;
  }

  #filesOf(id: string): readonly string[] {
    return [...(this.#claims.get(id) ?? [])].sort();
  }

  #count({ type, kind, object }: ResourceEvent): void {
    const { namespace } = object.metadata;
    if (namespace === undefined || !kind.namespaced || type === 'modified') return;
    const count = (this.#population.get(namespace) ?? 0) + (type === 'added' ? 1 : -1);
    if (count === 0) this.#population.delete(namespace);
    else this.#population.set(namespace, count);
  }

  #duplicatesOf(id: string): Duplicate[] {
    const [winner = '', ...others] = this.#filesOf(id);
    const first = this.#files.get(winner)?.get(id);
    return others.flatMap((file) => {
      const entry = this.#files.get(file)?.get(id);
      return entry && first ? [{ file, entry, winner, winnerPosition: first.position }] : [];
    });
  }
}

/** What others refer to first when things come, and last when they go. */
function inOrder(events: readonly ResourceEvent[]): ResourceEvent[] {
  const rank = ({ type, kind }: ResourceEvent): number => {
    const order = kindOrder.get(kind.name) ?? kindOrder.size;
    return type === 'deleted' ? 1000 - order : order;
  };
  return [...events].sort((a, b) => rank(a) - rank(b));
}

const impliedNamespace = (name: string): Pick<Entry, 'kind' | 'object'> => ({
  kind: kinds.Namespace,
  object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
});

/** Gives an object what the API server would: uid, version, generation, creation time. */
function bringToLife(
  { kind, object: written }: Pick<Entry, 'kind' | 'object'>,
  before: Live | undefined,
  now: Date,
): Live {
  const { metadata, ...body } = written;
  const labels =
    kind.name === 'Namespace' ? { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name } : metadata.labels;
  const kept = prune(kind, {
    ...body,
    metadata: { name: metadata.name, namespace: metadata.namespace, labels, annotations: metadata.annotations },
  });
  const specDigest = digest({ ...kept, metadata: undefined });
  const changed = before !== undefined && before.specDigest !== specDigest;
  // A time in the file is taken: it is how an export keeps who of two routes came first.
  const creationTimestamp = metadata.creationTimestamp ?? before?.object.metadata.creationTimestamp ?? timestamp(now);
  const object = {
    ...kept,
    metadata: {
      ...kept.metadata,
      uid: uidOf(kind, metadata.namespace, metadata.name),
      creationTimestamp,
      // Only kinds with a definition count generations.
      ...(kind.group.includes('gateway')
        ? { generation: (before?.object.metadata.generation ?? 1) + (changed ? 1 : 0) }
        : {}),
      resourceVersion: digest([specDigest, kept.metadata, creationTimestamp]),
    },
  };
  return { kind, object, specDigest };
}

const timestamp = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');

/** 64 bits of the content: versions are only compared for being equal. */
const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** The same object has the same uid in every process: a name-based UUID, as RFC 9562 has for private schemes (version 8). */
function uidOf(kind: Kind, namespace: string | undefined, name: string): string {
  const hex = createHash('sha256')
    .update(`${apiVersionOf(kind)} ${storeId(kind, { namespace, name })}`)
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

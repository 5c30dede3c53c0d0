import { type KindName, keyOf, type ObjectByKind } from '../gateway-api/index.ts';
import type { Store } from './engine/index.ts';

/** Takes the objects that came, changed or went. */
export interface ObjectIntake {
  upsert<K extends KindName>(kind: K, object: ObjectByKind[K]): unknown;
  remove(kind: KindName, key: string): unknown;
}

/** Something that happened: calls the graph with it. */
export type Input<G> = (graph: G) => void;

type AnyObject = ObjectByKind[KindName];

/**
 * Inputs that came during a build, in order, for the next build. Lookups of objects already find the new ones, because writers
 * need the newest.
 */
export class PendingInputs<G extends ObjectIntake> {
  #inputs: Input<G>[] = [];
  /** By kind and key; undefined: to be removed. */
  readonly #objects = new Map<KindName, Map<string, AnyObject | undefined>>();

  get size(): number {
    return this.#inputs.length;
  }

  add(input: Input<G>): void {
    this.#inputs.push(input);
  }

  put<K extends KindName>(kind: K, object: ObjectByKind[K]): void {
    this.#of(kind).set(keyOf(object), object);
    this.add((graph) => graph.upsert(kind, object));
  }

  remove(kind: KindName, key: string): void {
    this.#of(kind).set(key, undefined);
    this.add((graph) => graph.remove(kind, key));
  }

  /** Whether an object waits, or its removal. */
  has(kind: KindName, key: string): boolean {
    return this.#objects.get(kind)?.has(key) ?? false;
  }

  find<K extends KindName>(kind: K, key: string, store: Store): ObjectByKind[K] | undefined {
    const waiting = this.#objects.get(kind) as Map<string, ObjectByKind[K] | undefined> | undefined;
    return waiting?.has(key) ? waiting.get(key) : store.find(kind, key);
  }

  list<K extends KindName>(kind: K, store: Store): Iterable<ObjectByKind[K]> {
    const waiting = this.#objects.get(kind) as Map<string, ObjectByKind[K] | undefined> | undefined;
    return waiting ? merged(store.list(kind), waiting) : store.list(kind);
  }

  count(kind: KindName, store: Store): number {
    let count = store.count(kind);
    for (const [key, object] of this.#objects.get(kind) ?? [])
      count += Number(object !== undefined) - Number(store.find(kind, key) !== undefined);
    return count;
  }

  /** All of them, in order, as of now. */
  inputs(): readonly Input<G>[] {
    return [...this.#inputs];
  }

  /** All of them, in order; none waits any more. */
  take(): readonly Input<G>[] {
    const inputs = this.#inputs;
    this.#inputs = [];
    this.#objects.clear();
    return inputs;
  }

  #of(kind: KindName): Map<string, AnyObject | undefined> {
    const known = this.#objects.get(kind) ?? new Map<string, AnyObject | undefined>();
    this.#objects.set(kind, known);
    return known;
  }
}

function* merged<T extends AnyObject>(stored: Iterable<T>, waiting: ReadonlyMap<string, T | undefined>): Generator<T> {
  for (const object of stored) if (!waiting.has(keyOf(object))) yield object;
  for (const object of waiting.values()) if (object) yield object;
}

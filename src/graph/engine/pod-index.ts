import type { ObjectByKind } from '../../gateway-api/index.ts';
import { drop, insert } from './buckets.ts';
import { pairOfSelector, pairsOfObject } from './label-pairs.ts';

type Pod = ObjectByKind['Pod'];

/**
 * Pods by namespace, and by those labels that are asked for. Most labels of a cluster are asked for by nothing. Those that are have a bucket as long as a Pod
 * has them.
 */
export class PodIndex {
  readonly #byNamespace = new Map<string, Map<string, Pod>>();
  readonly #byPair = new Map<string, Map<string, Pod>>();

  add(key: string, pod: Pod): void {
    insert(this.#byNamespace, pod.metadata.namespace ?? '', key, pod);
    for (const pair of pairsOfObject(pod)) this.#byPair.get(pair)?.set(key, pod);
  }

  delete(key: string, pod: Pod): void {
    drop(this.#byNamespace, pod.metadata.namespace ?? '', key);
    for (const pair of pairsOfObject(pod)) drop(this.#byPair, pair, key);
  }

  /** Pods of a namespace, among them all that have these labels. */
  of(namespace: string, labels: Readonly<Record<string, string>>): Iterable<Pod> {
    const pair = pairOfSelector(namespace, labels);
    const known = this.#byPair.get(pair);
    if (known !== undefined) return known.values();
    for (const [key, pod] of this.#byNamespace.get(namespace) ?? [])
      if (pairsOfObject(pod).includes(pair)) insert(this.#byPair, pair, key, pod);
    return this.#byPair.get(pair)?.values() ?? [];
  }
}

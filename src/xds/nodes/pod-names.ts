import type { NodeRef } from './node-view.ts';

const none: ReadonlySet<string> = new Set();

/** The pods of each fleet, as far as that is known. */
export class PodNames {
  /** By NodeView.cluster. */
  readonly #names = new Map<string, ReadonlySet<string>>();

  /** There is a pod that is called as the node is. */
  has({ nodeId, cluster }: NodeRef): boolean {
    return this.#names.get(cluster)?.has(nodeId) ?? false;
  }

  /** There is none, for sure. */
  lacks({ nodeId, cluster }: NodeRef): boolean {
    return this.#names.get(cluster)?.has(nodeId) === false;
  }

  /** `names`: undefined when it is not known. Gives the difference. */
  set(
    cluster: string,
    names: ReadonlySet<string> | undefined,
  ): { readonly added: readonly string[]; readonly removed: readonly string[] } {
    const before = this.#names.get(cluster) ?? none;
    if (names === undefined) this.#names.delete(cluster);
    else this.#names.set(cluster, names);
    if (names === undefined) return { added: [], removed: [] };
    return { added: [...names.difference(before)], removed: [...before.difference(names)] };
  }
}

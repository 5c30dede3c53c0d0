import { foremost, type NodeRef, type NodesView, type NodeView, nodeKey } from '../../xds/index.ts';
import type { Remote } from './remote.ts';

/**
 * Which of two records of one node counts, `a` of replica `aReplica` or `b` of `bReplica`: the one with a stream, then
 * the one that connected later, then that of the replica whose identity is later in the alphabet. All replicas decide alike.
 */
export function outranks(a: NodeView, aReplica: string, b: NodeView, bReplica: string): boolean {
  if (a.connected !== b.connected) return a.connected;
  const [aSince, bSince] = [a.connectedAt.getTime(), b.connectedAt.getTime()];
  return aSince === bSince ? aReplica > bReplica : aSince > bSince;
}

export interface ReplicaNodesOptions {
  readonly identity: string;
  readonly local: NodesView;
  readonly remotes: () => Iterable<Remote>;
}

/** The data planes of all replicas, each once. */
export class ReplicaNodes implements NodesView {
  readonly #options: ReplicaNodesOptions;

  constructor(options: ReplicaNodesOptions) {
    this.#options = options;
  }

  list(): readonly NodeView[] {
    const { local, remotes } = this.#options;
    const all = new Map(local.list().map((node) => [nodeKey(node), node]));
    for (const remote of remotes()) {
      for (const told of remote.nodes.values()) this.#put(all, remote.show(told));
    }
    return [...all.values()];
  }

  find(nodeId: string, cluster?: string): NodeView | undefined {
    if (cluster === undefined) return foremost(this.list().filter((node) => node.nodeId === nodeId));
    const found = new Map<string, NodeView>();
    const local = this.#options.local.find(nodeId, cluster);
    if (local !== undefined) this.#put(found, local);
    for (const node of this.#elsewhere({ nodeId, cluster })) this.#put(found, node);
    return found.get(nodeKey({ nodeId, cluster }));
  }

  /** What other replicas know of it. */
  findElsewhere(ref: NodeRef): NodeView | undefined {
    const found = new Map<string, NodeView>();
    for (const node of this.#elsewhere(ref)) this.#put(found, node);
    return found.get(nodeKey(ref));
  }

  *#elsewhere(ref: NodeRef): Generator<NodeView> {
    for (const remote of this.#options.remotes()) {
      const node = remote.nodes.get(nodeKey(ref));
      if (node !== undefined) yield remote.show(node);
    }
  }

  #put(all: Map<string, NodeView>, node: NodeView): void {
    const { identity } = this.#options;
    const known = all.get(nodeKey(node));
    if (known === undefined || outranks(node, node.replica ?? identity, known, known.replica ?? identity))
      all.set(nodeKey(node), node);
  }
}

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

/** The other replicas that were heard of. Exists before this replica's own data planes do, since their server asks it. */
export class RemoteReplicas {
  /** Of this replica, and of no other process, now or later. */
  readonly identity: string;
  /** By identity. */
  readonly byIdentity = new Map<string, Remote>();

  constructor(identity: string) {
    this.identity = identity;
  }

  /** What other replicas know of a node. */
  findNode(ref: NodeRef): NodeView | undefined {
    const found = new Map<string, NodeView>();
    for (const node of this.allOf(ref)) this.put(found, node);
    return found.get(nodeKey(ref));
  }

  /** The same, as each of them has it. */
  *allOf(ref: NodeRef): Generator<NodeView> {
    for (const remote of this.byIdentity.values()) {
      const node = remote.nodes.get(nodeKey(ref));
      if (node !== undefined) yield remote.show(node);
    }
  }

  /** Adds a record, unless `all` has one of the same node that outranks it. */
  put(all: Map<string, NodeView>, node: NodeView): void {
    const { identity } = this;
    const known = all.get(nodeKey(node));
    if (known === undefined || outranks(node, node.replica ?? identity, known, known.replica ?? identity))
      all.set(nodeKey(node), node);
  }
}

export interface ReplicaNodesOptions {
  /** The data planes of this replica alone. */
  readonly local: NodesView;
  readonly remotes: RemoteReplicas;
}

/** The data planes of all replicas, each once. */
export class ReplicaNodes implements NodesView {
  readonly local: NodesView;
  readonly remotes: RemoteReplicas;

  constructor({ local, remotes }: ReplicaNodesOptions) {
    this.local = local;
    this.remotes = remotes;
  }

  list(): readonly NodeView[] {
    const { local, remotes } = this;
    const all = new Map(local.list().map((node) => [nodeKey(node), node]));
    for (const remote of remotes.byIdentity.values()) {
      for (const node of remote.nodes.values()) remotes.put(all, remote.show(node));
    }
    return [...all.values()];
  }

  find(nodeId: string, cluster?: string): NodeView | undefined {
    if (cluster === undefined) return foremost(this.list().filter((node) => node.nodeId === nodeId));
    const { remotes } = this;
    const found = new Map<string, NodeView>();
    const local = this.local.find(nodeId, cluster);
    if (local !== undefined) remotes.put(found, local);
    for (const node of remotes.allOf({ nodeId, cluster })) remotes.put(found, node);
    return found.get(nodeKey({ nodeId, cluster }));
  }
}

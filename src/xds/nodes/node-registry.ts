import type { TerminationReason } from '../metrics.ts';
import { type Connection, NodeRecord } from './node-record.ts';
import { foremost, type NodeRef, type NodesView, type NodeView, nodeKey } from './node-view.ts';

/** A stream as the registry sees it. */
export interface Claimant {
  /** Another stream has taken over: `by` says whose. */
  supersede(by: string): void;
  /** The node is to be sent once more what it rejected. */
  offerAgain(): void;
}

interface Entry {
  readonly record: NodeRecord;
  owner: Claimant | undefined;
  /** Those that it left with: see NodeRegistryOptions.maxDeparted. */
  departed?: Set<string> | undefined;
}

export interface NodeRegistryOptions {
  /** How long a node stays listed after it left. Milliseconds. */
  readonly keepMs: number;
  readonly clock: () => Date;
  /** How many nodes stay listed after they left: of one fleet, and of all clusters together that are no fleet. */
  readonly maxDeparted: number;
  readonly isFleet: (cluster: string) => boolean;
  /** What other replicas know of a node. */
  readonly elsewhere: (node: NodeRef) => NodeView | undefined;
}

/**
 * All nodes by fleet and id, with the one active stream of each. A node that left stays listed for `keepMs`, so that a reader
 * sees that it is missing and why.
 */
export class NodeRegistry implements NodesView {
  /** By nodeKey. */
  readonly #entries = new Map<string, Entry>();
  readonly #options: NodeRegistryOptions;
  /** Keys of those that left, the oldest first, by fleet; '' for those of none. */
  readonly #departed = new Map<string, Set<string>>();
  #excess: NodeView[] = [];

  constructor(options: NodeRegistryOptions) {
    this.#options = options;
  }

  list(): readonly NodeView[] {
    return [...this.#entries.values()].map(({ record }) => record.view);
  }

  find(nodeId: string, cluster?: string): NodeView | undefined {
    if (cluster === undefined) return foremost(this.list().filter((node) => node.nodeId === nodeId));
    return this.#entries.get(nodeKey({ nodeId, cluster }))?.record.view;
  }

  /** The node's active stream, if it has one here. */
  ownerOf(node: NodeRef): Claimant | undefined {
    return this.#entries.get(nodeKey(node))?.owner;
  }

  /** Makes the stream the node's active one. `superseded` is the stream that was, to be ended by the caller. */
  claim(connection: Connection, owner: Claimant): { readonly record: NodeRecord; readonly superseded?: Claimant } {
    const key = nodeKey(connection.identity);
    const known = this.#entries.get(key);
    const elsewhere = this.#options.elsewhere(connection.identity);
    const now = this.#after(elsewhere);
    if (known === undefined) {
      const record = new NodeRecord(connection, now, elsewhere);
      this.#entries.set(key, { record, owner });
      return { record };
    }
    this.#isBack(key, known);
    known.record.connected(connection, now);
    const superseded = known.owner;
    known.owner = owner;
    return { record: known.record, superseded };
  }

  /** The stream has ended; without effect when it is not the node's active one any more. Says whether it was. */
  release(node: NodeRef, owner: Claimant, reason: TerminationReason): boolean {
    const entry = this.#entries.get(nodeKey(node));
    if (entry?.owner !== owner) return false;
    entry.owner = undefined;
    entry.record.disconnected(reason, this.#options.clock());
    this.#hasLeft(node, entry);
    return true;
  }

  /** Nodes that are listed no more, since too many others left after them. Once. */
  takeExcess(): readonly NodeView[] {
    return this.#excess.splice(0);
  }

  #hasLeft(node: NodeRef, entry: Entry): void {
    const { isFleet, maxDeparted } = this.#options;
    const whose = isFleet(node.cluster) ? node.cluster : '';
    const departed = this.#departed.get(whose) ?? new Set();
    this.#departed.set(whose, departed.add(nodeKey(node)));
    entry.departed = departed;
    const [oldest] = departed;
    if (departed.size > maxDeparted && oldest !== undefined) this.#excess.push(...this.#drop(oldest));
  }

  #drop(key: string): NodeView[] {
    const entry = this.#entries.get(key);
    if (entry === undefined) return [];
    this.#isBack(key, entry);
    this.#entries.delete(key);
    return [entry.record.view];
  }

  #isBack(key: string, entry: Entry): void {
    entry.departed?.delete(key);
    entry.departed = undefined;
  }

  /** Takes the node off the list, for it is on another replica's. Gives it as it was. */
  forget(node: NodeRef): NodeView | undefined {
    return this.#drop(nodeKey(node))[0];
  }

  /** Forgets the nodes that have been gone for long enough, and gives them. */
  prune(): readonly NodeView[] {
    const limit = this.#options.clock().getTime() - this.#options.keepMs;
    const gone = [...this.#entries.values()]
      .filter(({ owner }) => owner === undefined)
      .map(({ record }) => record.view);
    const old = gone.filter(({ disconnectedAt }) => disconnectedAt !== undefined && disconnectedAt.getTime() <= limit);
    for (const [whose, departed] of this.#departed) if (departed.size === 0) this.#departed.delete(whose);
    return old.flatMap((node) => this.#drop(nodeKey(node)));
  }

  // Clocks of replicas differ, and the node that connected last stays: later than what is known is later for all.
  #after(elsewhere: NodeView | undefined): Date {
    const now = this.#options.clock();
    if (elsewhere === undefined || elsewhere.connectedAt < now) return now;
    return new Date(elsewhere.connectedAt.getTime() + 1);
  }
}

import type { TerminationReason } from './metrics.ts';
import { type Connection, NodeRecord } from './node-record.ts';
import type { NodesView, NodeView } from './node-view.ts';

/** A stream as the registry sees it. */
export interface Claimant {
  /** Another stream has taken over. */
  supersede(byPeer: string): void;
}

interface Entry {
  readonly record: NodeRecord;
  owner: Claimant | undefined;
}

/**
 * All nodes by id, with the one active stream of each. A node that left stays listed for `keepMs`, so that whoever looks
 * sees that it is missing and why.
 */
export class NodeRegistry implements NodesView {
  readonly #entries = new Map<string, Entry>();
  readonly #keepMs: number;
  readonly #clock: () => Date;

  constructor(options: { readonly keepMs: number; readonly clock: () => Date }) {
    this.#keepMs = options.keepMs;
    this.#clock = options.clock;
  }

  list(): readonly NodeView[] {
    return [...this.#entries.values()].map(({ record }) => record.view);
  }

  find(nodeId: string): NodeView | undefined {
    return this.#entries.get(nodeId)?.record.view;
  }

  /** Makes the stream the node's active one. `superseded` is the stream that was, to be ended by the caller. */
  claim(connection: Connection, owner: Claimant): { readonly record: NodeRecord; readonly superseded?: Claimant } {
    const { nodeId } = connection.identity;
    const now = this.#clock();
    const known = this.#entries.get(nodeId);
    if (known === undefined) {
      const record = new NodeRecord(connection, now);
      this.#entries.set(nodeId, { record, owner });
      return { record };
    }
    known.record.connected(connection, now);
    const superseded = known.owner;
    known.owner = owner;
    return { record: known.record, superseded };
  }

  /** The stream has ended; without effect when it is not the node's active one any more. Says whether it was. */
  release(nodeId: string, owner: Claimant, reason: TerminationReason): boolean {
    const entry = this.#entries.get(nodeId);
    if (entry?.owner !== owner) return false;
    entry.owner = undefined;
    entry.record.disconnected(reason, this.#clock());
    return true;
  }

  /** Forgets the nodes that have been gone for long enough, and gives them. */
  prune(): readonly NodeView[] {
    const limit = this.#clock().getTime() - this.#keepMs;
    const gone = [...this.#entries.values()]
      .filter(({ owner }) => owner === undefined)
      .map(({ record }) => record.view);
    const old = gone.filter(({ disconnectedAt }) => disconnectedAt !== undefined && disconnectedAt.getTime() <= limit);
    for (const { nodeId } of old) this.#entries.delete(nodeId);
    return old;
  }
}

import { type NodeEvent, type NodeRef, type NodeView, nodeKey } from '../../xds/index.ts';

/** A snapshot that was published, and the proxies that are to apply it. */
interface Published {
  readonly id: string;
  /** Milliseconds of a clock that only goes forward. */
  readonly since: number;
  /** By nodeKey. */
  readonly waiting: Set<string>;
  /** How many of them have. */
  applied: number;
  isApplied: boolean;
  isReported: boolean;
}

/** As many as the API lists. A proxy that is behind more of them counts for those that are left. */
const mostFollowed = 20;

export interface ConvergenceOptions {
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** The proxies of this replica. */
  readonly nodes: () => readonly NodeView[];
  /** A proxy that a snapshot waited for has applied it, or a newer one. */
  readonly onApplied?: (id: string, node: NodeRef) => void;
  /** `proxies`: how many have applied it, besides those that had before. */
  readonly onConverged: (id: string, ms: number, proxies: number) => void;
}

/**
 * How long it takes from a change until all proxies have it. A snapshot waits for the proxies that had applied one before, and whose Gateway it changes
 * something for. One that applied a newer snapshot has it too; one that leaves is waited for no more.
 */
export class Convergence {
  readonly #options: ConvergenceOptions;
  /** The oldest first. */
  readonly #followed: Published[] = [];

  constructor(options: ConvergenceOptions) {
    this.#options = options;
  }

  /** Takes a snapshot that was just published. `since`: when the first of its changes came. */
  published(id: string, fleets: ReadonlySet<string>, since: number): void {
    const concerned = this.#options.nodes().filter(({ ready, cluster }) => ready && fleets.has(cluster));
    const behind = concerned.filter(({ lastAckVersion }) => lastAckVersion !== id);
    const snapshot = {
      id,
      since,
      waiting: new Set(behind.map(nodeKey)),
      applied: 0,
      isApplied: behind.length < concerned.length,
      isReported: false,
    };
    this.#followed.push(snapshot);
    if (this.#followed.length > mostFollowed) this.#followed.shift();
    this.#report(snapshot);
  }

  /** Takes what happens to a proxy of this replica. */
  node(event: NodeEvent): void {
    if (event.kind === 'applied') this.#applied(event.node, event.snapshot);
    if (event.kind === 'disconnected' || event.kind === 'forgotten') this.#left(nodeKey(event.node));
  }

  #applied(node: NodeRef, id: string): void {
    const newest = this.#followed.findLastIndex((snapshot) => snapshot.id === id);
    for (const snapshot of this.#followed.slice(0, newest + 1)) {
      if (!snapshot.waiting.delete(nodeKey(node))) continue;
      snapshot.isApplied = true;
      snapshot.applied += 1;
      this.#options.onApplied?.(snapshot.id, node);
      this.#report(snapshot);
    }
  }

  #left(node: string): void {
    for (const snapshot of this.#followed) if (snapshot.waiting.delete(node)) this.#report(snapshot);
  }

  #report(snapshot: Published): void {
    if (snapshot.isReported || !snapshot.isApplied || snapshot.waiting.size > 0) return;
    snapshot.isReported = true;
    this.#options.onConverged(snapshot.id, this.#options.now() - snapshot.since, snapshot.applied);
  }
}

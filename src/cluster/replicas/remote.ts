import { type NodeRef, type NodeView, nodeKey } from '../../xds/index.ts';

/** So many of one replica are kept. */
const maxNodes = 50_000;

/** How this replica stands to another: `lost` since a short time, then `unreachable`; `left` in good order. */
export type RemoteState = 'connected' | 'lost' | 'unreachable' | 'left';

/**
 * What is known of another replica, by its own words. It is *connected* while at least one connection to it stands, *lost*
 * when that breaks, *unreachable* when it stays so (`giveUp`), and *left* when it said so. A new connection ends all of these states.
 */
export class Remote {
  readonly identity: string;
  /** The address that it was last heard at. */
  address: string;
  lastHeardAt: Date;
  state: RemoteState = 'connected';
  snapshot: string | undefined;
  /** Whether it keeps shared rate limits, as versions before this one do not. */
  keepsLimits = false;
  /** Whether it keeps budgets of AI traffic. */
  keepsBudgets = false;
  readonly #nodes = new Map<string, NodeView>();
  /** Of each connection: what was known before and has not been reported again since it began. */
  readonly #unconfirmed = new Map<object, Set<string>>();

  constructor(identity: string, address: string, now: Date) {
    this.identity = identity;
    this.address = address;
    this.lastHeardAt = now;
  }

  /** Its data planes as it reported them, by nodeKey. */
  get nodes(): ReadonlyMap<string, NodeView> {
    return this.#nodes;
  }

  /** A connection begins to report everything. */
  joined(connection: object, address: string): void {
    this.address = address;
    this.state = 'connected';
    this.#unconfirmed.set(connection, new Set(this.#nodes.keys()));
  }

  /** A connection ended. Whether it was the last one. */
  parted(connection: object): boolean {
    if (!this.#unconfirmed.delete(connection) || this.#unconfirmed.size > 0) return false;
    if (this.state === 'connected') this.state = 'lost';
    return true;
  }

  left(): void {
    this.state = 'left';
  }

  giveUp(): void {
    if (this.state === 'lost') this.state = 'unreachable';
  }

  /** It reports more data planes than we keep, and this is one of the others. */
  isFull(node: NodeRef): boolean {
    return this.#nodes.size >= maxNodes && !this.#nodes.has(nodeKey(node));
  }

  /** Gives what was known of the data plane before. */
  setNode(node: NodeView): NodeView | undefined {
    const key = nodeKey(node);
    const before = this.#nodes.get(key);
    for (const unconfirmed of this.#unconfirmed.values()) unconfirmed.delete(key);
    this.#nodes.set(key, node);
    return before;
  }

  forgetNode(node: NodeRef): NodeView | undefined {
    const before = this.#nodes.get(nodeKey(node));
    this.#nodes.delete(nodeKey(node));
    return before;
  }

  /** Everything there is was reported on the connection. Gives what was known and is not there any more. */
  synced(connection: object): readonly NodeRef[] {
    const unconfirmed = this.#unconfirmed.get(connection);
    if (unconfirmed === undefined) return [];
    this.#unconfirmed.set(connection, new Set());
    return [...unconfirmed].flatMap((key) => this.#nodes.get(key) ?? []);
  }

  /** A data plane as it may be shown now. */
  show(node: NodeView): NodeView {
    const { identity: replica, lastHeardAt, state } = this;
    if (state === 'connected') return { ...node, replica };
    if (state === 'lost') return { ...node, replica, staleSince: lastHeardAt };
    const nothing = { votes: false, refusals: [], refusalCount: 0 };
    const away = { ...node, ...nothing, replica, staleSince: lastHeardAt, connected: false, ready: false };
    if (!node.connected) return away;
    const disconnectReason = state === 'left' ? 'shutdown' : 'replica_unreachable';
    return { ...away, disconnectedAt: lastHeardAt, disconnectReason };
  }
}

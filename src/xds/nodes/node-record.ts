import type { DatabaseFault } from '../../contracts/index.ts';
import type { TerminationReason } from '../metrics.ts';
import type { ClientRejection } from '../rejections/rejections.ts';
import type { Variant } from '../session/channel.ts';
import type { Nack } from './node-event.ts';
import type { NodeIdentity } from './node-identity.ts';
import type { NodeView } from './node-view.ts';
import { isVoter } from './voter.ts';

/** Where a node is connected from. */
export interface Connection {
  readonly identity: NodeIdentity;
  readonly variant: Variant;
  readonly peer: string;
  /** Type URLs asked for so far. */
  readonly subscriptions: () => readonly string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What is remembered of one node, over its streams. */
export class NodeRecord {
  #view: NodeView;
  #connection: Connection;

  /** `before`: what another replica knows of the node, which was connected there. */
  constructor(connection: Connection, now: Date, before?: NodeView) {
    this.#connection = connection;
    this.#view = freshView(connection, now, before);
  }

  get view(): NodeView {
    return { ...this.#view, subscriptions: this.#connection.subscriptions() };
  }

  /** A new stream. What the node has applied is open again: it may be a new process with an empty memory. */
  connected(connection: Connection, now: Date): void {
    this.#connection = connection;
    this.#view = freshView(connection, now, this.#view);
  }

  disconnected(reason: TerminationReason, now: Date): void {
    this.#change({
      connected: false,
      ready: false,
      disconnectedAt: now,
      disconnectReason: reason,
      reportToken: undefined,
      ...nothingRejected,
    });
    // The stream's own state is not kept alive for the sake of a list of names.
    const subscriptions = this.#connection.subscriptions();
    this.#connection = { ...this.#connection, subscriptions: () => subscriptions };
  }

  isPod(): void {
    if (!this.#view.isPod) this.#change({ isPod: true });
  }

  seen(now: Date): void {
    this.#change({ lastSeenAt: now });
  }

  sent(snapshot: string): void {
    this.#change({ lastSentVersion: snapshot });
  }

  /** `rejects`: it still rejects something, so its configuration as a whole is not acknowledged. */
  acked(answer: { readonly snapshot: string; readonly nonce: string }, rejects: boolean): void {
    const lastConfigStatus = rejects ? 'NACK' : 'ACK';
    this.#change({ lastConfigVersion: answer.snapshot, lastNonce: answer.nonce, lastConfigStatus });
  }

  /** The message is kept as it is. */
  nacked({ snapshot, nonce, typeUrl, message }: Nack): void {
    this.#change({
      lastConfigVersion: snapshot,
      lastNonce: nonce,
      lastConfigStatus: 'NACK',
      lastNackVersion: snapshot,
      lastNackNonce: nonce,
      lastNackType: typeUrl,
      lastNackMessage: message,
    });
  }

  rejects(all: Iterable<ClientRejection>): void {
    const rejections = [...all];
    this.#change({ refusals: rejections.slice(0, mostShown), refusalCount: rejections.length });
  }

  tries(all: Iterable<ClientRejection>): void {
    this.#change({ trials: Iterator.from(all).take(mostShown).toArray() });
  }

  databases(databaseFaults: readonly DatabaseFault[]): void {
    this.#change({ databaseFaults });
  }

  applied(snapshot: string): void {
    this.#change({ lastAckVersion: snapshot, ready: this.#view.connected });
  }

  #change(changes: Partial<Mutable<NodeView>>): void {
    this.#view = { ...this.#view, ...changes };
  }
}

/** Lists of nodes, and messages between replicas, stay short however much is rejected. */
const mostShown = 64;
const nothingRejected = { votes: false, refusals: [], refusalCount: 0, trials: [] } as const;

const freshView = ({ identity, variant, peer }: Connection, now: Date, before: NodeView | undefined): NodeView => ({
  nodeId: identity.nodeId,
  cluster: identity.cluster,
  gateway: identity.cluster,
  version: identity.version,
  envoyVersion: identity.envoyVersion,
  ...(identity.adminPort !== undefined && { adminPort: identity.adminPort }),
  ...(identity.reportToken !== undefined && { reportToken: identity.reportToken }),
  connected: true,
  ready: false,
  stream: variant,
  peer,
  connectedAt: now,
  lastSeenAt: now,
  lastNackVersion: before?.lastNackVersion,
  lastNackNonce: before?.lastNackNonce,
  lastNackType: before?.lastNackType,
  lastNackMessage: before?.lastNackMessage,
  ...nothingRejected,
  databaseFaults: identity.databaseFaults,
  votes: isVoter(identity.userAgent),
  subscriptions: [],
  supersededCount: (before?.supersededCount ?? 0) + (before?.connected ? 1 : 0),
  isPod: before?.isPod ?? false,
});

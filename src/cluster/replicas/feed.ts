import type { Readable } from 'node:stream';
import { Throttle } from '../../std/queue/index.ts';
import { type NodeRef, type NodesView, nodeKey } from '../../xds/index.ts';
import { type FeedContent, FeedStream } from './feed-stream.ts';
import type { Outgoing } from './message.ts';
import type { ReplicaTiming } from './timing.ts';

/** What is said once. */
type Said = Extract<Outgoing, { readonly to: string } | { readonly type: 'budget-news' }>;

export interface FeedOptions {
  /** Of this replica. */
  readonly identity: string;
  /** The data planes of this replica alone. */
  readonly nodes: NodesView;
  /** Id of the newest snapshot. */
  readonly snapshot: () => string | undefined;
  /** Whether budgets of AI traffic are kept here; not without the add-on. */
  readonly keepsBudgets?: () => boolean;
  readonly timing: Pick<ReplicaTiming, 'heartbeatMs' | 'routineMs' | 'signalMs'>;
}

/** More readers than this are not taken on. */
const maxReaders = 64;

/** How long an offer waits for replicas that do not read yet, or read again. */
const offerMs = 60_000;

/** What this replica reports to the others. It costs what changed times the readers; a reader that comes again is sent everything. */
export class Feed {
  readonly #options: FeedOptions;
  readonly #streams = new Set<FeedStream>();
  /** By nodeKey: digest of the listeners that the node has applied, as text. */
  readonly #applied = new Map<string, string>();
  /** By nodeKey: what was offered lately. The replica that has the node may connect after the operator asked. */
  readonly #offers = new Map<string, { readonly node: NodeRef; readonly expiry: NodeJS.Timeout }>();
  /** However many proxies report, and however often. */
  readonly #failures: Throttle;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#failures = new Throttle(options.timing.signalMs, () => {
      for (const stream of this.#streams) stream.requestsFailed();
    });
  }

  /** How many read now. */
  get readers(): number {
    return this.#streams.size;
  }

  /** Everything there is, and then everything that changes; undefined when too many read already, or we are stopping. */
  open(): Readable | undefined {
    if (this.#closed || this.#streams.size >= maxReaders) return undefined;
    const stream = new FeedStream(this.#content, this.#options.timing);
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    for (const { node } of this.#offers.values()) stream.offerAgain(node);
    return stream;
  }

  /** Something about a data plane of this replica changed. What is not `urgent` is sent within a second or so. */
  nodeChanged(node: NodeRef, urgent: boolean): void {
    const known = this.#options.nodes.find(node.nodeId, node.cluster);
    if (!known?.connected) this.#applied.delete(nodeKey(node));
    for (const stream of this.#streams) stream.nodeChanged(node, urgent);
  }

  /** A data plane has applied listeners with this digest, as text. */
  nodeApplied(node: NodeRef, listeners: string): void {
    const isNew = this.#applied.get(nodeKey(node)) !== listeners;
    this.#applied.set(nodeKey(node), listeners);
    this.nodeChanged(node, isNew);
  }

  /** An operator wants the node to be sent once more what it rejected, at whichever replica it is. */
  offerAgain(node: NodeRef): void {
    const key = nodeKey(node);
    clearTimeout(this.#offers.get(key)?.expiry);
    this.#offers.set(key, { node, expiry: setTimeout(() => this.#offers.delete(key), offerMs).unref() });
    for (const stream of this.#streams) stream.offerAgain(node);
  }

  /** There is a new snapshot. */
  snapshotChanged(): void {
    for (const stream of this.#streams) stream.snapshotChanged();
  }

  /** Proxies of this replica reported failed requests. */
  requestsFailed(): void {
    this.#failures.fire();
  }

  /** All read it; of what is to one replica, the others skip it. */
  say(message: Said): void {
    for (const stream of this.#streams) stream.say(message);
  }

  /** Sends readers all that is left, and that this replica is stopping. */
  close(): void {
    this.#closed = true;
    this.#failures.stop();
    for (const { expiry } of this.#offers.values()) clearTimeout(expiry);
    this.#offers.clear();
    for (const stream of this.#streams) stream.sayBye();
  }

  get #content(): FeedContent {
    const { identity, nodes, snapshot, keepsBudgets = () => false } = this.#options;
    return {
      identity,
      nodes,
      snapshot,
      keepsBudgets,
      appliedListeners: (node) => this.#applied.get(nodeKey(node)),
    };
  }
}

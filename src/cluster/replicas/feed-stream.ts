import { Readable } from 'node:stream';
import { type NodeRef, type NodesView, nodeKey } from '../../xds/index.ts';
import { messageText, type Outgoing } from './message.ts';
import type { ReplicaTiming } from './timing.ts';

/** What a stream sends; read when it is sent, so that a slow reader gets the newest only. */
export interface FeedContent {
  readonly identity: string;
  readonly nodes: NodesView;
  readonly snapshot: () => string | undefined;
  readonly keepsBudgets: () => boolean;
  readonly appliedListeners: (node: NodeRef) => string | undefined;
}

/** About how many characters are given on at once. */
const portionLength = 65_536;
/** So much waits for a reader that is slow. */
const mostSaid = 256;

/**
 * What one reader is still to be sent. Entries are kept by name, not by content: however slow the reader, there is at
 * most one entry for each data plane. States: *sending all* (until `synced`), *sending changes*, *closing* (until `bye`).
 */
export class FeedStream extends Readable {
  readonly #content: FeedContent;
  readonly #timing: Pick<ReplicaTiming, 'heartbeatMs' | 'routineMs'>;
  readonly #heartbeat: NodeJS.Timeout;
  /** Both by nodeKey. */
  readonly #urgent: Map<string, NodeRef>;
  readonly #routine = new Map<string, NodeRef>();
  readonly #offers = new Map<string, NodeRef>();
  /** Said once, the oldest first: what is not read in time is asked again, or gone on without. */
  readonly #said: string[] = [];
  #snapshotChanged = false;
  #requestsFailed = false;
  #synced = false;
  #closing = false;
  #ended = false;
  /** The reader takes more. */
  #wanted = false;
  #immediate: NodeJS.Immediate | undefined;
  #routineTimer: NodeJS.Timeout | undefined;

  constructor(content: FeedContent, timing: Pick<ReplicaTiming, 'heartbeatMs' | 'routineMs'>) {
    super({ highWaterMark: portionLength });
    this.#content = content;
    this.#timing = timing;
    this.#urgent = new Map(
      content.nodes.list().map(({ nodeId, cluster }) => [nodeKey({ nodeId, cluster }), { nodeId, cluster }]),
    );
    this.#heartbeat = setInterval(() => this.#beat(), timing.heartbeatMs).unref();
    this.#send({
      type: 'hello',
      replica: content.identity,
      snapshot: content.snapshot() ?? null,
      keepsLimits: true,
      keepsBudgets: content.keepsBudgets(),
    });
  }

  nodeChanged({ nodeId, cluster }: NodeRef, urgent: boolean): void {
    const node = { nodeId, cluster };
    const key = nodeKey(node);
    if (urgent || this.#urgent.has(key)) {
      this.#routine.delete(key);
      this.#urgent.set(key, node);
      this.#schedule();
      return;
    }
    this.#routine.set(key, node);
    this.#routineTimer ??= setTimeout(() => this.#routineDue(), this.#timing.routineMs);
  }

  offerAgain(node: NodeRef): void {
    this.#offers.set(nodeKey(node), node);
    this.#schedule();
  }

  snapshotChanged(): void {
    this.#snapshotChanged = true;
    this.#schedule();
  }

  requestsFailed(): void {
    this.#requestsFailed = true;
    this.#schedule();
  }

  say(message: Outgoing): void {
    if (this.#said.length >= mostSaid) this.#said.shift();
    this.#said.push(messageText(message));
    this.#schedule();
  }

  /** Sends what is left, says bye and ends. */
  sayBye(): void {
    this.#closing = true;
    this.#takeRoutine();
    this.#schedule();
  }

  override _read(): void {
    this.#wanted = true;
    this.#schedule();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#routineTimer);
    clearImmediate(this.#immediate);
    this.#ended = true;
    done(error);
  }

  /** At the end of the turn, so that what happens together is sent together. */
  #schedule(): void {
    if (this.#ended || !this.#wanted) return;
    this.#immediate ??= setImmediate(() => this.#advance());
  }

  #advance(): void {
    this.#immediate = undefined;
    const text = this.#portion();
    if (text !== '') this.#wanted = this.push(text);
    const isSent =
      this.#urgent.size === 0 &&
      this.#offers.size === 0 &&
      this.#said.length === 0 &&
      !this.#snapshotChanged &&
      !this.#requestsFailed;
    if (isSent && !this.#synced) {
      this.#synced = true;
      this.#send({ type: 'synced' });
    }
    if (!isSent) this.#schedule();
    else if (this.#closing) this.#end();
  }

  #portion(): string {
    // Requests wait for it.
    let text = this.#said.splice(0).join('');
    if (this.#snapshotChanged) {
      this.#snapshotChanged = false;
      text += messageText({ type: 'snapshot', snapshot: this.#content.snapshot() ?? null });
    }
    if (this.#requestsFailed) {
      this.#requestsFailed = false;
      text += messageText({ type: 'requests-failed' });
    }
    for (const [key, { nodeId, cluster }] of this.#offers) {
      if (text.length >= portionLength) return text;
      this.#offers.delete(key);
      text += messageText({ type: 'offer-again', nodeId, cluster });
    }
    for (const [key, node] of this.#urgent) {
      if (text.length >= portionLength) return text;
      this.#urgent.delete(key);
      text += messageText(this.#nodeMessage(node));
    }
    return text;
  }

  #nodeMessage(ref: NodeRef): Outgoing {
    const node = this.#content.nodes.find(ref.nodeId, ref.cluster);
    if (node === undefined) return { type: 'forgotten', ...ref };
    return { type: 'node', node, listeners: this.#content.appliedListeners(ref) };
  }

  #routineDue(): void {
    this.#takeRoutine();
    this.#schedule();
  }

  #takeRoutine(): void {
    clearTimeout(this.#routineTimer);
    this.#routineTimer = undefined;
    for (const [key, node] of this.#routine) this.#urgent.set(key, node);
    this.#routine.clear();
  }

  #send(message: Outgoing): void {
    this.#wanted = this.push(messageText(message));
  }

  #beat(): void {
    // A reader that takes nothing is not sent more of nothing.
    if (this.#wanted && !this.#ended) this.#wanted = this.push(': there\n\n');
  }

  #end(): void {
    this.#ended = true;
    this.push(messageText({ type: 'bye' }));
    this.push(null);
  }
}

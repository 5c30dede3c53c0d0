import { limits } from '../limits.ts';
import type { ResourceGroup } from '../session/resource-group.ts';
import { PumpQueue } from './pump-queue.ts';
import type { HostedStream } from './stream-host.ts';

const shutdown = ['shutdown', 'the control plane is shutting down'] as const;

/** All streams of a server: which of them are behind, whose turn it is to write, and which have not said who they are. */
export class OpenStreams {
  readonly #onTaken: (() => void) | undefined;
  readonly #all = new Set<HostedStream>();
  /** Those that have not taken all of what was published for their gateway. */
  readonly #behind = new Set<HostedStream>();
  /** Those that have not said who they are, the oldest first. */
  readonly #unidentified = new Set<HostedStream>();
  readonly #queue = new PumpQueue();
  #closed = false;

  /** `onTaken`: called when no stream is behind any more. */
  constructor(onTaken: (() => void) | undefined) {
    this.#onTaken = onTaken;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** A stream has not answered yet what was published for its gateway. */
  get anyBehind(): boolean {
    return this.#behind.size > 0;
  }

  /** Starts the stream. The oldest of too many that have not said who they are gives way. */
  open(stream: HostedStream): void {
    this.#all.add(stream);
    this.#unidentified.add(stream);
    stream.start();
    const [oldest] = this.#unidentified;
    if (this.#unidentified.size > limits.unidentifiedStreams) oldest?.giveWay();
    if (this.#closed) stream.end(...shutdown);
  }

  /** The stream has said who it is. */
  identified(stream: HostedStream): void {
    this.#unidentified.delete(stream);
  }

  /** These groups have changed, and there is a newer snapshot for all. Sending begins with `push`, or after the caller is done. */
  published(touched: ReadonlySet<ResourceGroup>): void {
    for (const stream of this.#all) {
      if (stream.group === undefined || !touched.has(stream.group)) {
        this.#queue.idle(stream);
        continue;
      }
      this.#behind.add(stream);
      this.#queue.urgent(stream);
    }
  }

  /** Begins to send. */
  push(): void {
    this.#queue.begin();
  }

  /** Has the stream write when it is its turn, which may be now. */
  inTurn(stream: HostedStream): void {
    this.#queue.inTurn(stream);
  }

  /** The stream has nothing to send and waits for no answer. */
  caughtUp(stream: HostedStream): void {
    if (this.#behind.delete(stream) && this.#behind.size === 0) this.#onTaken?.();
  }

  ended(stream: HostedStream): void {
    this.#all.delete(stream);
    this.caughtUp(stream);
    this.#unidentified.delete(stream);
    this.#queue.remove(stream);
  }

  /** Has each look at the clock. */
  tick(nowMs: number): void {
    for (const stream of [...this.#all]) stream.tick(nowMs);
  }

  /** Ends all, and those that still come. */
  close(): void {
    this.#closed = true;
    this.#queue.stop();
    for (const stream of [...this.#all]) stream.end(...shutdown);
  }
}

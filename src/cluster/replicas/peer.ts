import { formatAddress } from '../../config/index.ts';
import { type Clock, retryMs } from '../../std/queue/index.ts';
import { followFeed } from './follow-feed.ts';
import type { Message } from './message.ts';
import type { ReplicaAddress } from './resolve-places.ts';
import type { ReplicaTiming } from './timing.ts';

export interface PeerOptions {
  readonly address: ReplicaAddress;
  /** Of this replica: an address that says the same is our own. */
  readonly identity: string;
  readonly token: () => Promise<string | undefined>;
  readonly timing: Pick<ReplicaTiming, 'idleMs' | 'connectMs'>;
  readonly clock: Clock;
  /** `identity` is of the replica that answers there. */
  readonly onMessage: (peer: Peer, identity: string, message: Message) => void;
  readonly onHeard: (identity: string) => void;
  /** A connection, or a try to get one, ended; `identity` when it had sent one. */
  readonly onEnd: (peer: Peer, identity: string | undefined) => void;
}

/** How an address answers: `self` is this replica's own. */
export type PeerState = 'connecting' | 'connected' | 'failing' | 'self';

/** One address at which a replica is expected: kept connected, with pauses that grow while it fails. */
export class Peer {
  readonly address: string;
  readonly #options: PeerOptions;
  readonly #ending = new AbortController();
  #state: PeerState = 'connecting';
  #identity: string | undefined;
  #failingSince: number | undefined;
  #reason = '';
  #failures = 0;

  constructor(options: PeerOptions) {
    this.address = formatAddress(options.address);
    this.#options = options;
  }

  get state(): PeerState {
    return this.#state;
  }

  /** For how long it has not been connected, in milliseconds; undefined while it is, or before the first try failed. */
  get failingFor(): number | undefined {
    return this.#failingSince === undefined ? undefined : this.#options.clock.now() - this.#failingSince;
  }

  /** Why it is not connected, for people. */
  get reason(): string {
    return this.#reason;
  }

  /** Connects until `stop`. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#ending;
    while (!signal.aborted) {
      await this.#follow(signal);
      if (!signal.aborted) await this.#pause();
    }
  }

  stop(): void {
    this.#ending.abort();
  }

  async #follow(ending: AbortSignal): Promise<void> {
    const { address, token, timing, onHeard } = this.#options;
    const leaving = new AbortController();
    const ended = await followFeed({
      address,
      token: await token().catch(() => undefined),
      timing,
      onMessage: (message) => this.#take(message, leaving),
      onHeard: () => this.#identity !== undefined && onHeard(this.#identity),
      signal: AbortSignal.any([ending, leaving.signal]),
    });
    const identity = this.#identity;
    this.#identity = undefined;
    if (this.#state !== 'self') this.#failed(ended);
    this.#options.onEnd(this, identity);
  }

  #take(message: Message, leaving: AbortController): void {
    if (message.type === 'hello') this.#meet(message.replica, leaving);
    if (this.#identity !== undefined) this.#options.onMessage(this, this.#identity, message);
  }

  #meet(identity: string, leaving: AbortController): void {
    this.#failures = 0;
    this.#failingSince = undefined;
    this.#reason = '';
    if (identity === this.#options.identity) {
      this.#state = 'self';
      leaving.abort();
      return;
    }
    this.#state = 'connected';
    this.#identity = identity;
  }

  #failed(reason: string): void {
    this.#state = 'failing';
    this.#reason = reason;
    this.#failures += 1;
    this.#failingSince ??= this.#options.clock.now();
  }

  /** Our own address stays our own for as long as it is one of the addresses. */
  #pause(): Promise<void> {
    const { signal } = this.#ending;
    return new Promise((resolve) => {
      const over = () => {
        cancel();
        signal.removeEventListener('abort', over);
        resolve();
      };
      const cancel = this.#state === 'self' ? () => {} : this.#options.clock.after(retryMs(this.#failures), over);
      signal.addEventListener('abort', over);
    });
  }
}

import { Client, connectivityState, type Metadata } from '@grpc/grpc-js';
import { type Access, connectTimeoutMs } from '../access/index.ts';
import { keepalive } from './keepalive.ts';

export interface ControlClientOptions {
  /** The control plane's `host:port`. */
  readonly address: string;
  readonly access: Access;
  /** Monotonic, in milliseconds. */
  readonly nowMs?: () => number;
}

/** A connection for calls to the control plane beside the stream of xDS, made when it is first used. */
export class ControlClient {
  readonly #options: ControlClientOptions;
  #client: Client | undefined;
  #connectingSince: number | undefined;

  constructor(options: ControlClientOptions) {
    this.#options = options;
  }

  /** What shows who calls. Rejects when that is not available. */
  metadata(): Promise<Metadata> {
    return this.#options.access.metadata();
  }

  get(): Client {
    const { address, access } = this.#options;
    if (this.#isStuck()) this.#abandon();
    this.#client ??= new Client(address, access.credentials, {
      'grpc.max_send_message_length': -1,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 5000,
      // Another client's connection would be the same that this one waits for.
      'grpc.use_local_subchannel_pool': 1,
      // As for the stream: a node that is gone silently would be waited for until the kernel gives up, some 15 minutes.
      ...keepalive,
      // Its calls are shorter than that.
      'grpc.keepalive_permit_without_calls': 1,
      ...access.channelOptions,
    });
    return this.#client;
  }

  close(): void {
    this.#client?.close();
  }

  #abandon(): void {
    this.close();
    this.#client = undefined;
    this.#connectingSince = undefined;
  }

  /** Whether it still connected at every call for so long. */
  #isStuck(): boolean {
    const { nowMs = () => performance.now() } = this.#options;
    const isConnecting = this.#client?.getChannel().getConnectivityState(false) === connectivityState.CONNECTING;
    this.#connectingSince = isConnecting ? (this.#connectingSince ?? nowMs()) : undefined;
    return this.#connectingSince !== undefined && nowMs() >= this.#connectingSince + connectTimeoutMs;
  }
}

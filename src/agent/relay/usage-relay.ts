import { type Metadata, type Server, type ServerReadableStream, type sendUnaryData, status } from '@grpc/grpc-js';
import type { Backoff } from '../../std/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { accessLogService, usagePaths } from '../../xds/methods/index.ts';
import type { Clock } from '../clock.ts';
import type { GrpcMethods } from '../grpc-socket.ts';
import type { ControlClient } from './control-client.ts';
import { identifierMessage, logNameOf, withoutIdentifier } from './log-messages.ts';

/** An access log that Envoy sends; paused, it holds back what is yet to come. */
export interface LogStream {
  pause(): unknown;
  resume(): unknown;
}

/** Who takes access logs that are not about usage. */
export interface OtherLogs {
  takes(log: string): boolean;
  /** Gets each message as Envoy sent it. */
  take(log: string, message: Uint8Array, stream: LogStream): void;
}

/** Who answers what Envoy asks of limits that are not about usage. */
export interface OtherLimits {
  /** False for a question that is not its own. */
  answers(request: Uint8Array, done: sendUnaryData<Uint8Array>): boolean;
}

export interface UsageRelayOptions {
  readonly client: ControlClient;
  readonly others: OtherLogs;
  readonly limits: OtherLimits;
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of the Gateway. */
  readonly cluster: string;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly backoff: Backoff;
}

/** What waits for the control plane; beyond it the oldest is lost, which is said. */
const maxWaitingBytes = 16 * 1024 * 1024;
/** What goes out with one call. */
const callBytes = 2 * 1024 * 1024;
const callTimeoutMs = 15_000;
const budgetTimeoutMs = 2000;

const sizeOf = (messages: readonly Uint8Array[]): number => messages.reduce((sum, { length }) => sum + length, 0);

const plain = (bytes: Uint8Array): Buffer => Buffer.from(bytes);

/**
 * Sends on what Envoy reports of AI traffic and asks of budgets. A message is let go when the control plane has answered that
 * it is kept. What it could not answer is sent again, and it knows what it has already.
 */
export class UsageRelay {
  readonly #options: UsageRelayOptions;
  /** Log messages as Envoy sent them, without its description of itself, which is 66 KB long. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #sending: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(options: UsageRelayOptions) {
    this.#options = options;
  }

  /** Lets Envoy's server of xDS take logs, too. */
  serve(server: Server): void {
    server.addService(accessLogService, {
      // Envoy never ends it, and waits for no answer.
      StreamAccessLogs: (stream: ServerReadableStream<Uint8Array, Uint8Array>, done: sendUnaryData<Uint8Array>) => {
        stream.on('data', this.#openLog(stream));
        stream.on('error', () => undefined);
        stream.once('end', () => done(null, Buffer.alloc(0)));
      },
    });
  }

  /** What Envoy may call: it asks of limits and budgets, and says what was used. */
  get methods(): GrpcMethods {
    return {
      unary: {
        [usagePaths.budget]: (question, done) => {
          if (!this.#options.limits.answers(question, done)) void this.#ask(question, done);
        },
      },
      streams: { [usagePaths.log]: (stream) => this.#openLog(stream) },
    };
  }

  /** Sends what is left, if the control plane can take it, and lets go of it. */
  async stop(): Promise<void> {
    const last = this.#sending;
    const late = setTimeout(() => this.#stop.abort(), 2000);
    await last;
    clearTimeout(late);
    this.#stop.abort();
  }

  #openLog(stream: LogStream): (bytes: Uint8Array) => void {
    const { others } = this.#options;
    let log: string | undefined;
    return (bytes) => {
      // The first message has it, and no other.
      log ??= logNameOf(bytes);
      if (others.takes(log)) others.take(log, bytes, stream);
      else this.#keep(bytes);
    };
  }

  #keep(bytes: Uint8Array): void {
    const short = withoutIdentifier(bytes);
    if (!short) {
      this.#options.logger.error('failed to read a log message of Envoy; it is lost');
      return;
    }
    this.#waiting.push(short);
    this.#waitingBytes += short.length;
    while (this.#waitingBytes > maxWaitingBytes) this.#drop();
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  #drop(): void {
    this.#waitingBytes -= this.#waiting.shift()?.length ?? 0;
    if (this.#lost++ > 0) return;
    this.#options.logger.error(
      { waiting_bytes: this.#waitingBytes },
      'usage cannot be reported to the control plane; the oldest records are lost and will be missing from reports',
    );
  }

  async #send(): Promise<void> {
    const { backoff, clock, logger } = this.#options;
    while (this.#waiting.length > 0 && !this.#stop.signal.aborted) {
      const batch = this.#take();
      try {
        await this.#call(batch);
        backoff.reset();
        this.#lost = 0;
      } catch (error) {
        this.#waiting = [...batch, ...this.#waiting];
        this.#waitingBytes += sizeOf(batch);
        logger.debug({ err: error }, 'failed to report token usage; retrying');
        await clock.delay(backoff.next(), this.#stop.signal).catch(() => undefined);
      }
    }
  }

  /** The oldest, as much as one call takes; at least one. */
  #take(): Uint8Array[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((message) => {
      bytes += message.length;
      return bytes > callBytes;
    });
    const batch = this.#waiting.splice(0, end < 0 ? this.#waiting.length : Math.max(1, end));
    this.#waitingBytes -= sizeOf(batch);
    return batch;
  }

  async #call(batch: readonly Uint8Array[]): Promise<void> {
    const metadata = await this.#options.client.metadata();
    const client = this.#options.client.get();
    const { signal } = this.#stop;
    let cancel = () => {};
    const answered = new Promise<void>((resolve, reject) => {
      const deadline = new Date(Date.now() + callTimeoutMs);
      const call = client.makeClientStreamRequest(
        usagePaths.log,
        plain,
        (bytes: Buffer) => bytes,
        metadata,
        { deadline },
        (error) => (error ? reject(error) : resolve()),
      );
      cancel = () => call.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      call.write(identifierMessage(this.#options));
      for (const bytes of batch) call.write(bytes);
      call.end();
    });
    await answered.finally(() => signal.removeEventListener('abort', cancel));
  }

  async #ask(request: Uint8Array, done: sendUnaryData<Uint8Array>): Promise<void> {
    let metadata: Metadata;
    try {
      metadata = await this.#options.client.metadata();
    } catch (error) {
      done({ code: status.UNAVAILABLE, details: (error as Error).message });
      return;
    }
    const deadline = new Date(Date.now() + budgetTimeoutMs);
    this.#options.client.get().makeUnaryRequest(
      usagePaths.budget,
      plain,
      (bytes: Buffer) => bytes,
      request,
      metadata,
      { deadline },
      (error, answer) =>
        error ? done({ code: error.code, details: error.details }) : done(null, answer ?? Buffer.alloc(0)),
    );
  }
}

import { fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type Server,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import {
  type RateLimitRequest,
  RateLimitRequestSchema,
  type RateLimitResponse,
  RateLimitResponseSchema,
  type StreamAccessLogsMessage,
  StreamAccessLogsMessageSchema,
} from '../../envoy/index.ts';
import { isPrintable } from '../client-text.ts';
import { limits } from '../limits.ts';
import { accessLogService, rateLimitService } from '../methods/index.ts';
import {
  type Admission,
  AdmissionError,
  type Authenticator,
  bearerToken,
  type ClientCertificate,
  type NodeClaim,
} from './admission.ts';
import type { ClientLog } from './client-log.ts';

/** Keeps what proxies used. */
export interface UsageKeeper {
  /** Takes what a node reports. Rejects when it cannot be kept: the node reports it again. The same may come more than once. */
  take(node: NodeClaim, messages: readonly StreamAccessLogsMessage[]): void;
  /** Whether a request may use more. */
  ask(request: RateLimitRequest): RateLimitResponse;
}

export interface UsageServicesOptions {
  readonly keeper: UsageKeeper;
  readonly log: ClientLog;
  readonly authenticator?: Authenticator | undefined;
  readonly certificateOf: (peer: string) => ClientCertificate;
  /** Called with each call's peer: its connection is of use. */
  readonly onCall: (peer: string) => void;
}

type Call = ServerReadableStream<Uint8Array, Uint8Array> | ServerUnaryCall<Uint8Array, Uint8Array>;

/** A rejection with the gRPC status that says why. */
class Rejected extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

const nothing = Buffer.alloc(0);
/** What one call may bring. */
const maxBytes = 64 * 1024 * 1024;
/** What calls that have not ended may hold together. */
const maxBytesAtOnce = 256 * 1024 * 1024;
/** An agent says all it has at once. */
const maxCallMs = 60_000;

/** How much is held of calls that have not ended. */
interface Held {
  bytes: number;
}

/**
 * Serves what proxies report and ask of usage, beside xDS and under the same proof of identity: a node reports for its own Gateway.
 * An answer means that all of the call is kept.
 */
export function serveUsage(server: Server, options: UsageServicesOptions): void {
  const held: Held = { bytes: 0 };
  server.addService(accessLogService, {
    StreamAccessLogs: (call: ServerReadableStream<Uint8Array, Uint8Array>, done: sendUnaryData<Uint8Array>) => {
      void answering(call, done, options.log, async () =>
        takeLogs(await admit(call, options), await received(call, held), options),
      );
    },
  });
  server.addService(rateLimitService, {
    ShouldRateLimit: (call: ServerUnaryCall<Uint8Array, Uint8Array>, done: sendUnaryData<Uint8Array>) => {
      void answering(call, done, options.log, async () => {
        await admit(call, options);
        const request = decoded(() => fromBinary(RateLimitRequestSchema, call.request));
        return toBinary(RateLimitResponseSchema, options.keeper.ask(request));
      });
    },
  });
}

async function answering(
  call: Call,
  done: sendUnaryData<Uint8Array>,
  log: ClientLog,
  work: () => Promise<Uint8Array>,
): Promise<void> {
  try {
    done(null, Buffer.from(await work()));
  } catch (error) {
    const code = error instanceof Rejected ? error.code : status.INTERNAL;
    const details = error instanceof Error ? error.message : String(error);
    const peer = call.getPeer();
    if (code === status.INTERNAL)
      log.write('error', peer, () => ({ err: error, peer }), 'usage that a proxy reported could not be kept');
    else log.write('warn', peer, () => ({ reason: details, peer }), 'usage that a proxy reported was rejected');
    done({ code, details });
  }
}

/** Undefined where every client is taken at its word. */
async function admit(
  call: Call,
  { authenticator, certificateOf, onCall }: UsageServicesOptions,
): Promise<Admission | undefined> {
  onCall(call.getPeer());
  if (authenticator === undefined) return undefined;
  const token = bearerToken(call.metadata.get('authorization')[0]);
  try {
    return await authenticator.admit({ token, certificate: certificateOf(call.getPeer()) });
  } catch (error) {
    if (!(error instanceof AdmissionError)) throw error;
    throw new Rejected(error.code === 'unauthenticated' ? status.UNAUTHENTICATED : status.UNAVAILABLE, error.message);
  }
}

function takeLogs(
  admission: Admission | undefined,
  messages: readonly Uint8Array[],
  { keeper }: UsageServicesOptions,
): Uint8Array {
  const logs = decoded(() => messages.map((bytes) => fromBinary(StreamAccessLogsMessageSchema, bytes)));
  const node = logs[0]?.identifier?.node;
  if (!node?.id || !node.cluster)
    throw new Rejected(status.INVALID_ARGUMENT, 'the first message must carry identifier.node with id and cluster');
  if (!isPrintable(node.id, limits.idLength) || !isPrintable(node.cluster, limits.idLength))
    throw new Rejected(
      status.INVALID_ARGUMENT,
      `node.id and node.cluster must be 1 to ${limits.idLength} printable ASCII characters`,
    );
  const claim = { nodeId: node.id, cluster: node.cluster };
  const rejection = admission?.rejects(claim);
  if (rejection !== undefined) throw new Rejected(status.PERMISSION_DENIED, rejection);
  keeper.take(claim, logs);
  return nothing;
}

function decoded<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Rejected(
      status.INVALID_ARGUMENT,
      `the message is not what the method takes: ${(cause as Error).message}`,
    );
  }
}

async function received(call: ServerReadableStream<Uint8Array, Uint8Array>, held: Held): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = [];
  let bytes = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const rejectWith = (code: status, why: string): void => reject(new Rejected(code, why));
  const take = (message: Uint8Array): void => {
    bytes += message.length;
    held.bytes += message.length;
    messages.push(message);
    if (bytes > maxBytes) rejectWith(status.RESOURCE_EXHAUSTED, `more than ${maxBytes} bytes in one call`);
    else if (held.bytes > maxBytesAtOnce)
      rejectWith(status.RESOURCE_EXHAUSTED, 'too much usage is reported at once; try again');
  };
  const late = setTimeout(() => rejectWith(status.DEADLINE_EXCEEDED, `no end within ${maxCallMs} ms`), maxCallMs);
  call.on('data', take);
  call.once('end', resolve);
  call.once('error', reject);
  call.once('cancelled', () => rejectWith(status.CANCELLED, 'the client has gone'));
  try {
    await promise;
    return messages;
  } finally {
    clearTimeout(late);
    call.off('data', take);
    held.bytes -= bytes;
  }
}

import { fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type Server,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { budgetDescriptor } from '../../contracts/index.ts';
import {
  type RateLimitRequest,
  RateLimitRequestSchema,
  type RateLimitResponse,
  RateLimitResponseSchema,
  type StreamAccessLogsMessage,
  StreamAccessLogsMessageSchema,
} from '../../envoy/index.ts';
import { accessLogService, rateLimitService } from '../methods/index.ts';
import type { Admission, NodeClaim } from './admission.ts';
import { type AgentCallOptions, admit, answering, claimOf, decoded, Rejected } from './agent-calls.ts';

/** Keeps what proxies used. */
export interface UsageKeeper {
  /** Takes what a node reports. Rejects when it cannot be kept: the node reports it again. The same may come more than once. */
  take(node: NodeClaim, messages: readonly StreamAccessLogsMessage[]): Promise<void>;
  /** Whether a request may use more. */
  ask(request: RateLimitRequest): Promise<RateLimitResponse>;
}

export interface UsageServicesOptions extends AgentCallOptions {
  readonly keeper: UsageKeeper;
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
      void answering(call, done, { log: options.log, what: 'usage' }, async () =>
        takeLogs(await admit(call, options), await received(call, held), options),
      );
    },
  });
  server.addService(rateLimitService, {
    ShouldRateLimit: (call: ServerUnaryCall<Uint8Array, Uint8Array>, done: sendUnaryData<Uint8Array>) => {
      void answering(call, done, { log: options.log, what: 'usage' }, async () => {
        await admit(call, options);
        const request = decoded(() => fromBinary(RateLimitRequestSchema, call.request));
        // An agent of an older release sends on what it does not know. What is not kept here lets no request through.
        if (request.domain !== budgetDescriptor.domain)
          throw new Rejected(status.UNIMPLEMENTED, `no budgets of ${request.domain} are kept: upgrade the proxy`);
        return toBinary(RateLimitResponseSchema, await options.keeper.ask(request));
      });
    },
  });
}

async function takeLogs(
  admission: Admission | undefined,
  messages: readonly Uint8Array[],
  { keeper }: UsageServicesOptions,
): Promise<Uint8Array> {
  const logs = decoded(() => messages.map((bytes) => fromBinary(StreamAccessLogsMessageSchema, bytes)));
  const node = logs[0]?.identifier?.node;
  const claim = claimOf(node, admission, 'the first message must carry identifier.node with id and cluster');
  await keeper.take(claim, logs);
  return nothing;
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

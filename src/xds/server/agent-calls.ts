import { type ServerReadableStream, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import { isPrintable } from '../client-text.ts';
import { limits } from '../limits.ts';
import {
  type Admission,
  AdmissionError,
  type Authenticator,
  bearerToken,
  type ClientCertificate,
  type NodeClaim,
} from './admission.ts';
import type { ClientLog } from './client-log.ts';

/** What calls of agents beside xDS are answered with, under the same proof of identity. */
export interface AgentCallOptions {
  readonly log: ClientLog;
  readonly authenticator?: Authenticator | undefined;
  readonly certificateOf: (peer: string) => ClientCertificate;
  /** Called with each call's peer: its connection is of use. */
  readonly onCall: (peer: string) => void;
}

export type AgentCall = ServerReadableStream<Uint8Array, Uint8Array> | ServerUnaryCall<Uint8Array, Uint8Array>;

/** A rejection with the gRPC status that says why. */
export class Rejected extends Error {
  readonly code: status;

  constructor(code: status, message: string) {
    super(message);
    this.code = code;
  }
}

/** Answers with what `work` gives, or with why it does not. `what`: what the agent brings, for the log. */
export async function answering(
  call: AgentCall,
  done: sendUnaryData<Uint8Array>,
  { log, what }: { readonly log: ClientLog; readonly what: string },
  work: () => Promise<Uint8Array>,
): Promise<void> {
  try {
    done(null, Buffer.from(await work()));
  } catch (error) {
    const code = error instanceof Rejected ? error.code : status.INTERNAL;
    const details = error instanceof Error ? error.message : String(error);
    const peer = call.getPeer();
    if (code === status.INTERNAL)
      log.write('error', peer, () => ({ err: error, peer }), `${what} that a proxy reported could not be kept`);
    else log.write('warn', peer, () => ({ reason: details, peer }), `${what} that a proxy reported was rejected`);
    done({ code, details });
  }
}

/** Undefined where every client is taken at its word. */
export async function admit(
  call: AgentCall,
  { authenticator, certificateOf, onCall }: AgentCallOptions,
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

/** The node that reports, if it may: one for its own Gateway. Throws Rejected. */
export function claimOf(
  node: { readonly id?: unknown; readonly cluster?: unknown } | undefined,
  admission: Admission | undefined,
  missing: string,
): NodeClaim {
  const { id, cluster } = node ?? {};
  if (typeof id !== 'string' || typeof cluster !== 'string' || id === '' || cluster === '')
    throw new Rejected(status.INVALID_ARGUMENT, missing);
  if (!isPrintable(id, limits.idLength) || !isPrintable(cluster, limits.idLength))
    throw new Rejected(
      status.INVALID_ARGUMENT,
      `node.id and node.cluster must be 1 to ${limits.idLength} printable ASCII characters`,
    );
  const claim = { nodeId: id, cluster };
  const rejection = admission?.rejects(claim);
  if (rejection !== undefined) throw new Rejected(status.PERMISSION_DENIED, rejection);
  return claim;
}

/** What `read` gives; Rejected when it throws. */
export function decoded<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Rejected(
      status.INVALID_ARGUMENT,
      `the message is not what the method takes: ${(cause as Error).message}`,
    );
  }
}

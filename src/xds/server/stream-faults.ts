import { status } from '@grpc/grpc-js';
import { clientText } from '../client-text.ts';
import { limits } from '../limits.ts';
import type { TerminationReason } from '../metrics.ts';
import { identify, type NodeIdentity } from '../nodes/node-identity.ts';
import { olderEnvoy } from '../nodes/supported-envoy.ts';
import type { Variant } from '../session/channel.ts';
import type { Session } from '../session/session.ts';
import { type DecodedRequest, decodeRequest, excessOf } from '../session/session-request.ts';
import type { Admission } from './admission.ts';

/** Why a stream ends, with another gRPC status than the reason's (endCodes) if so. */
export interface StreamFault {
  readonly reason: TerminationReason;
  readonly details: string;
  readonly code?: status;
}

/** The request in these bytes, or why it is not answered. */
export function requestIn(variant: Variant, bytes: Uint8Array): DecodedRequest | { readonly fault: StreamFault } {
  try {
    const decoded = decodeRequest(variant, bytes);
    const details = decoded.request.typeUrl === '' ? 'type_url is empty' : excessOf(decoded.request);
    return details === undefined ? decoded : { fault: { reason: 'invalid_request', details } };
  } catch (error) {
    return { fault: { reason: 'invalid_request', details: clientText((error as Error).message, limits.idLength) } };
  }
}

/** Who a node says it is, or why it may not be that here. `admission`: who its client is, where that is asked. */
export function identityOf(
  node: DecodedRequest['node'],
  admission: Admission | undefined,
): NodeIdentity | { readonly fault: StreamFault } {
  const identity = identify(node);
  if ('fault' in identity) return { fault: { reason: 'invalid_request', details: identity.fault } };
  const rejection = admission?.rejects(identity);
  if (rejection !== undefined)
    return { fault: { reason: 'unauthenticated', details: rejection, code: status.PERMISSION_DENIED } };
  const older = olderEnvoy(identity.userAgent);
  return older === undefined ? identity : { fault: { reason: 'unsupported_version', details: older } };
}

/** What a stream has us remember beyond the limits of one stream; undefined: nothing. */
export function excessOfStream({ held, subscriptions }: Pick<Session, 'held' | 'subscriptions'>): string | undefined {
  const { typesPerStream, namesPerStream, nameTextPerStream } = limits;
  if (subscriptions.length > typesPerStream) return `more than ${typesPerStream} types`;
  return held.names > namesPerStream || held.text > nameTextPerStream
    ? `more than ${namesPerStream} names, or ${nameTextPerStream} characters of them`
    : undefined;
}

import type { DeltaDiscoveryRequest, DiscoveryRequest, Node } from '../envoy/index.ts';
import type { Variant } from './channel.ts';
import { decodeDeltaRequest, decodeSotwRequest } from './protocol.ts';
import type { SessionRequest } from './session.ts';

/** A decoded request: who asks, which only the first one of a stream must say, and what. */
export interface DecodedRequest {
  readonly node?: Node;
  readonly request: SessionRequest;
}

/** Throws ProtocolError when the bytes are no request of the variant. */
export const decodeRequest = (variant: Variant, bytes: Uint8Array): DecodedRequest =>
  variant === 'delta' ? ofDelta(decodeDeltaRequest(bytes)) : ofSotw(decodeSotwRequest(bytes));

const ofDelta = (message: DeltaDiscoveryRequest): DecodedRequest => ({
  node: message.node,
  request: {
    typeUrl: message.typeUrl,
    nonce: message.responseNonce,
    error: message.errorDetail?.message,
    subscribe: message.resourceNamesSubscribe,
    unsubscribe: message.resourceNamesUnsubscribe,
    initialVersions: new Map(Object.entries(message.initialResourceVersions)),
  },
});

const ofSotw = (message: DiscoveryRequest): DecodedRequest => ({
  node: message.node,
  request: {
    typeUrl: message.typeUrl,
    nonce: message.responseNonce,
    error: message.errorDetail?.message,
    subscribe: message.resourceNames,
    unsubscribe: [],
    initialVersions: new Map(),
  },
});

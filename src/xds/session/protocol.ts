import { fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from '../../envoy/index.ts';

/* The messages of both variants of ADS, whole. */

/** What a malformed message is rejected with. `cause` is the decoder's error. */
class ProtocolError extends Error {
  readonly code = 'xds_invalid_message';
}

function decode<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ProtocolError(`not a ${what}`, { cause });
  }
}

/** Throw ProtocolError when the bytes are no such message. */
export const decodeDeltaRequest = (bytes: Uint8Array): DeltaDiscoveryRequest =>
  decode('DeltaDiscoveryRequest', () => fromBinary(DeltaDiscoveryRequestSchema, bytes));

export const decodeSotwRequest = (bytes: Uint8Array): DiscoveryRequest =>
  decode('DiscoveryRequest', () => fromBinary(DiscoveryRequestSchema, bytes));

export const decodeDeltaResponse = (bytes: Uint8Array): DeltaDiscoveryResponse =>
  decode('DeltaDiscoveryResponse', () => fromBinary(DeltaDiscoveryResponseSchema, bytes));

export const decodeSotwResponse = (bytes: Uint8Array): DiscoveryResponse =>
  decode('DiscoveryResponse', () => fromBinary(DiscoveryResponseSchema, bytes));

export const encodeDeltaRequest = (request: DeltaDiscoveryRequest): Uint8Array =>
  toBinary(DeltaDiscoveryRequestSchema, request);

export const encodeSotwRequest = (request: DiscoveryRequest): Uint8Array => toBinary(DiscoveryRequestSchema, request);

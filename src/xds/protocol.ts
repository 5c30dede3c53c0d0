import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import {
  type DeltaDiscoveryRequest,
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  type DiscoveryRequest,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from '../envoy/index.ts';

/*
 * `envoy.service.discovery.v3.AggregatedDiscoveryService` for grpc-js, with codecs that pass bytes through: whoever holds
 * a stream decides what to decode. The server reads requests only; the agent relays most messages without reading them.
 */

const service = '/envoy.service.discovery.v3.AggregatedDiscoveryService';

/** gRPC paths of the two variants of ADS. */
export const adsPaths = {
  sotw: `${service}/StreamAggregatedResources`,
  delta: `${service}/DeltaAggregatedResources`,
} as const;

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A bidirectional method whose messages are bytes in both directions. */
export type RawMethod = MethodDefinition<Uint8Array, Uint8Array>;

const rawMethod = (path: string): RawMethod => ({
  path,
  requestStream: true,
  responseStream: true,
  requestSerialize: asBuffer,
  requestDeserialize: (bytes) => bytes,
  responseSerialize: asBuffer,
  responseDeserialize: (bytes) => bytes,
});

/** The service definition for `Server.addService`, and for `makeGenericClientConstructor`. */
export const adsService = {
  StreamAggregatedResources: rawMethod(adsPaths.sotw),
  DeltaAggregatedResources: rawMethod(adsPaths.delta),
} as const satisfies ServiceDefinition;

/** What proxies tell and ask besides: what was used, and whether more may be. Messages are bytes, as above. */
export const usagePaths = {
  log: '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs',
  budget: '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit',
} as const;

export const accessLogService = {
  StreamAccessLogs: { ...rawMethod(usagePaths.log), responseStream: false },
} as const satisfies ServiceDefinition;

export const rateLimitService = {
  ShouldRateLimit: { ...rawMethod(usagePaths.budget), requestStream: false, responseStream: false },
} as const satisfies ServiceDefinition;

/** What a malformed message is refused with. `cause` is the decoder's error. */
export class ProtocolError extends Error {
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

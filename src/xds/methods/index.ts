import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';
import { concurrentPath, takesPath, trafficReportPath } from '../../contracts/index.ts';

/*
 * The gRPC methods of xDS and of what goes with it, for grpc-js, with codecs that pass bytes through: the holder of a stream decides what
 * to decode. The server reads requests only; the agent relays most messages without reading them, and needs none of their descriptors.
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

/** Such a method, by its path. */
export const rawMethod = (path: string): RawMethod => ({
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

/** What proxies report and ask besides: what was used, and whether more may be. Messages are bytes, as above. */
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

/** By which agents know which requests are under way; see contracts/concurrent-limits.ts. */
export const concurrentService = { Process: rawMethod(concurrentPath) } as const satisfies ServiceDefinition;

/** What agents take from shared rate limits, as JSON; see contracts/shared-limits.ts. */
export const limitService = {
  Take: { ...rawMethod(takesPath), requestStream: false, responseStream: false },
} as const satisfies ServiceDefinition;

/** What agents report of traffic, as JSON; see contracts/traffic-report.ts. */
export const trafficService = {
  Report: { ...rawMethod(trafficReportPath), requestStream: false, responseStream: false },
} as const satisfies ServiceDefinition;

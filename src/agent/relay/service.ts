import type { Client, ClientDuplexStream, Metadata, MethodDefinition, Server, ServerDuplexStream } from '@grpc/grpc-js';
import { adsPaths } from '../../xds/methods/index.ts';
import {
  type DeltaRequest,
  type DeltaResponse,
  decodeDeltaRequest,
  decodeDeltaResponse,
  encodeDeltaRequest,
  encodeDeltaResponse,
} from './delta-messages.ts';

/** `envoy.service.discovery.v3.AggregatedDiscoveryService.DeltaAggregatedResources`, with the relay's own shallow messages. */
const deltaMethod: MethodDefinition<DeltaRequest, DeltaResponse> = {
  path: adsPaths.delta,
  requestStream: true,
  responseStream: true,
  requestSerialize: encodeDeltaRequest,
  requestDeserialize: decodeDeltaRequest,
  responseSerialize: encodeDeltaResponse,
  responseDeserialize: decodeDeltaResponse,
};

export type DeltaClientStream = ClientDuplexStream<DeltaRequest, DeltaResponse>;
export type DeltaServerStream = ServerDuplexStream<DeltaRequest, DeltaResponse>;

/** Opens the stream; its errors come as events. */
export function openDeltaStream(client: Client, metadata: Metadata): DeltaClientStream {
  const { path, requestSerialize, responseDeserialize } = deltaMethod;
  return client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
}

/** Lets `server` answer the method with `handle`. */
export function serveDelta(server: Server, handle: (stream: DeltaServerStream) => void): void {
  server.addService({ DeltaAggregatedResources: deltaMethod }, { DeltaAggregatedResources: handle });
}

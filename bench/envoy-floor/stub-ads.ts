import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { DeltaDiscoveryRequestSchema, DeltaDiscoveryResponseSchema } from '../../src/envoy/index.ts';
import { bytesOfText } from '../../src/std/memory/index.ts';

export interface Resource {
  readonly name: string;
  /** As EnvoyResource has it. */
  readonly body: string;
}

type Stream = ServerDuplexStream<Uint8Array, Uint8Array>;

const path = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';
const pass = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/**
 * The smallest delta ADS server for one Envoy. Its answers are ready before the clock starts, so that nothing but Envoy
 * is measured. A wildcard or first subscription gets all of its type; an unknown name is answered as removed.
 */
export class StubAds {
  readonly #server = new Server({ 'grpc.max_send_message_length': -1 });
  /** By type URL, then by name. */
  readonly #resources = new Map<string, Map<string, string>>();
  readonly #answered = new Map<string, () => void>();
  #stream: Stream | undefined;
  #version = 0;
  /** Words of every rejection; a run with one is void. */
  readonly nacks: string[] = [];
  /** Size of the last response. */
  lastBytes = 0;

  put(typeUrl: string, ...resources: readonly Resource[]): void {
    const held = this.#resources.get(typeUrl) ?? new Map<string, string>();
    this.#resources.set(typeUrl, held);
    for (const { name, body } of resources) held.set(name, body);
  }

  /** Sends resources; resolves when Envoy has answered. */
  async send(typeUrl: string, resources: readonly Resource[]): Promise<void> {
    this.put(typeUrl, ...resources);
    await this.#write(typeUrl, resources, []);
  }

  /** The port of 127.0.0.1 that it listens on. */
  listen(): Promise<number> {
    const handler = {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: pass,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: pass,
      responseDeserialize: (bytes: Buffer) => bytes,
    };
    this.#server.addService(
      { DeltaAggregatedResources: handler },
      { DeltaAggregatedResources: (stream: Stream) => this.#serve(stream) },
    );
    return new Promise((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  }

  close(): void {
    this.#server.forceShutdown();
  }

  #serve(stream: Stream): void {
    this.#stream = stream;
    stream.on('error', () => {});
    stream.on('end', () => stream.end());
    stream.on('data', (bytes: Uint8Array) => this.#receive(bytes));
  }

  #receive(bytes: Uint8Array): void {
    const { typeUrl, responseNonce, errorDetail, resourceNamesSubscribe } = fromBinary(
      DeltaDiscoveryRequestSchema,
      bytes,
    );
    if (errorDetail) this.nacks.push(`${typeUrl}: ${errorDetail.message}`);
    this.#answered.get(responseNonce)?.();
    this.#answered.delete(responseNonce);
    if (responseNonce !== '' && resourceNamesSubscribe.length === 0) return;
    const held = this.#resources.get(typeUrl) ?? new Map<string, string>();
    const wanted = resourceNamesSubscribe.length === 0 ? [...held.keys()] : resourceNamesSubscribe;
    const present = wanted.flatMap((name) => {
      const body = held.get(name);
      return body ? [{ name, body }] : [];
    });
    const missing = wanted.filter((name) => !held.has(name));
    void this.#write(typeUrl, present, missing);
  }

  #write(typeUrl: string, resources: readonly Resource[], removedResources: string[]): Promise<void> {
    this.#version += 1;
    const nonce = String(this.#version);
    const response = create(DeltaDiscoveryResponseSchema, {
      typeUrl,
      nonce,
      removedResources,
      resources: resources.map(({ name, body }) => ({
        name,
        version: nonce,
        resource: { typeUrl, value: bytesOfText(body) },
      })),
    });
    const bytes = toBinary(DeltaDiscoveryResponseSchema, response);
    this.lastBytes = bytes.length;
    return new Promise((resolve) => {
      this.#answered.set(nonce, resolve);
      this.#stream?.write(bytes);
    });
  }
}

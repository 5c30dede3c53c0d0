import { create, fromBinary } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { type ClientDuplexStream, makeGenericClientConstructor } from '@grpc/grpc-js';
import {
  DeltaDiscoveryRequestSchema,
  HttpConnectionManagerSchema,
  ListenerSchema,
  type TypeUrl,
  typeUrls,
} from '../../src/envoy/index.ts';
import { adsPaths, adsService, decodeDeltaResponse, encodeDeltaRequest } from '../../src/xds/index.ts';
import type { Streams } from '../peer/subject.ts';

const Client = makeGenericClientConstructor(adsService, 'ads');
const delta = Object.values(adsService).find(({ path }) => path === adsPaths.delta)!;

interface Reported {
  readonly bytes: (count: number) => void;
  readonly error: (error: Error) => void;
}

/** One stream, which asks as an Envoy does: for clusters and listeners, then for their endpoints and routes by name. */
export class Member {
  readonly #client: InstanceType<typeof Client>;
  readonly #stream: ClientDuplexStream<Uint8Array, Uint8Array>;
  readonly #complete = Promise.withResolvers<void>();
  /** What was asked for and has not come: types, and names behind their type. */
  readonly #missing: Set<string>;
  /** Names of what holds endpoints. */
  readonly #endpoints = new Set<string>();
  #expected = '';
  /** Those that do not have the expected address. */
  #without = new Set<string>();
  isComplete = false;
  /** When the last of its endpoints had the expected address; undefined while one has not. */
  arrivedAt: number | undefined;

  constructor(
    port: number,
    { credentials, asked }: Streams,
    node: { id: string; cluster: string },
    reported: Reported,
  ) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials, {
      'grpc.max_receive_message_length': -1,
      'grpc.use_local_subchannel_pool': 1,
      // The client does not check it; an address is no name.
      'grpc.ssl_target_name_override': 'control-plane',
    });
    this.#missing = new Set(asked);
    this.#stream = this.#client.makeBidiStreamRequest(delta.path, delta.requestSerialize, delta.responseDeserialize);
    this.#stream.on('error', reported.error);
    this.#stream.on('data', (bytes: Uint8Array) => {
      reported.bytes(bytes.length);
      this.#take(bytes);
    });
    for (const typeUrl of asked) this.#send({ node, typeUrl });
  }

  /** Resolves when it has all that there is. */
  get complete(): Promise<void> {
    return this.#complete.promise;
  }

  expect(address: string): void {
    this.#expected = address;
    this.#without = new Set(this.#endpoints);
    this.arrivedAt = undefined;
  }

  close(): void {
    this.#stream.removeAllListeners('error').on('error', () => {});
    this.#stream.cancel();
    this.#client.close();
  }

  #take(bytes: Uint8Array): void {
    const { typeUrl, nonce, resources } = decodeDeltaResponse(bytes);
    this.#send({ typeUrl, responseNonce: nonce });
    this.#missing.delete(typeUrl);
    for (const { name, resource } of resources) {
      this.#missing.delete(`${typeUrl} ${name}`);
      if (typeUrl === typeUrls.endpoint && resource && holds(resource, this.#expected)) this.#without.delete(name);
    }
    if (typeUrl === typeUrls.cluster)
      this.#ask(
        typeUrls.endpoint,
        resources.map(({ name }) => name),
      );
    if (typeUrl === typeUrls.listener)
      this.#ask(
        typeUrls.route,
        resources.flatMap(({ resource }) => routesOf(resource)),
      );
    if (this.#expected !== '' && this.#without.size === 0) this.arrivedAt ??= performance.now();
    if (this.#missing.size > 0) return;
    this.isComplete = true;
    this.#complete.resolve();
  }

  #ask(typeUrl: TypeUrl, names: readonly string[]): void {
    if (names.length === 0) return;
    for (const name of names) {
      this.#missing.add(`${typeUrl} ${name}`);
      if (typeUrl === typeUrls.endpoint) this.#endpoints.add(name);
    }
    this.#send({ typeUrl, resourceNamesSubscribe: [...names] });
  }

  #send(request: object): void {
    this.#stream.write(encodeDeltaRequest(create(DeltaDiscoveryRequestSchema, request)));
  }
}

/** Reads nothing: thousands of messages at once are looked through for one address. */
const holds = ({ value }: Any, address: string): boolean =>
  Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(address);

/** The RouteConfigurations that a listener has by name. */
function routesOf(resource: Any | undefined): string[] {
  if (!resource) return [];
  const { filterChains, defaultFilterChain } = fromBinary(ListenerSchema, resource.value);
  const filters = [...filterChains, ...(defaultFilterChain ? [defaultFilterChain] : [])].flatMap((one) => one.filters);
  return filters.flatMap(({ configType }) => {
    if (configType.case !== 'typedConfig' || !configType.value.typeUrl.endsWith('.HttpConnectionManager')) return [];
    const { routeSpecifier } = fromBinary(HttpConnectionManagerSchema, configType.value.value);
    return routeSpecifier.case === 'rds' ? [routeSpecifier.value.routeConfigName] : [];
  });
}

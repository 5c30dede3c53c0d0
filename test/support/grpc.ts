import { connect } from 'node:http2';
import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type ChannelCredentials,
  type ClientDuplexStream,
  credentials as grpcCredentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceClientConstructor,
  type StatusObject,
} from '@grpc/grpc-js';
import {
  DeltaDiscoveryRequestSchema,
  type DeltaDiscoveryResponse,
  DiscoveryRequestSchema,
  type DiscoveryResponse,
} from '../../src/envoy/index.ts';
import {
  adsPaths,
  adsService,
  decodeDeltaResponse,
  decodeSotwResponse,
  encodeDeltaRequest,
  encodeSotwRequest,
} from '../../src/xds/index.ts';

export interface ClientOptions {
  /** Port of 127.0.0.1, or a gRPC address such as `unix:/path`. */
  readonly target: number | string;
  readonly nodeId?: string;
  readonly cluster?: string;
  readonly metadata?: JsonObject;
  /** What it says it is: an Envoy of our release by default. */
  readonly userAgent?: { readonly name: string; readonly version?: readonly [major: number, minor: number] };
  /** Plain text by default. */
  readonly credentials?: ChannelCredentials;
  /** Sent as `authorization: Bearer TOKEN`. */
  readonly token?: string;
}

const barrierType = 'type.googleapis.com/test.Barrier';
const RawClient: ServiceClientConstructor = makeGenericClientConstructor(adsService, 'ads');

/** A gRPC client that is moved by hand, one message at a time, and reads only when asked to. */
class HandDrivenClient<Response extends { readonly typeUrl: string }> {
  readonly #client: InstanceType<ServiceClientConstructor>;
  readonly #stream: ClientDuplexStream<Uint8Array, Uint8Array>;
  readonly #inbox: Response[] = [];
  readonly #waiting: (() => void)[] = [];
  /** How the stream ended. */
  readonly ended: Promise<StatusObject>;
  #barriers = 0;

  constructor(options: ClientOptions, path: string, decode: (bytes: Uint8Array) => Response) {
    const { target, credentials = grpcCredentials.createInsecure(), token } = options;
    const address = typeof target === 'number' ? `127.0.0.1:${target}` : target;
    this.#client = new RawClient(address, credentials, {
      'grpc.max_receive_message_length': -1,
      // Each client gets its own connection, as each proxy has.
      'grpc.use_local_subchannel_pool': 1,
    });
    const method = Object.values(adsService).find((candidate) => candidate.path === path)!;
    const headers = new Metadata();
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    const { requestSerialize, responseDeserialize } = method;
    this.#stream = this.#client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, headers);
    this.#stream.on('data', (bytes: Uint8Array) => {
      this.#inbox.push(decode(bytes));
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.#stream.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.#stream.on('status', resolve);
    });
  }

  /** What came and was not received yet. */
  get received(): readonly Response[] {
    return this.#inbox;
  }

  /** Sends any bytes. */
  sendRaw(bytes: Uint8Array): void {
    this.#stream.write(bytes);
  }

  /** The next response, of the type if one is given; the others stay in the inbox. Throws when none comes. */
  async receive(typeUrl?: string, timeoutMs = 240_000): Promise<Response> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const at = this.#inbox.findIndex((response) => typeUrl === undefined || response.typeUrl === typeUrl);
      if (at >= 0) return this.#inbox.splice(at, 1)[0]!;
      await this.#arrival(deadline, typeUrl);
    }
  }

  /** Everything that the server had to say by now: asks for something that does not exist and takes what came before the answer. */
  async drain(): Promise<Response[]> {
    this.askBarrier(barrierType, `barrier-${++this.#barriers}`);
    const answer = await this.receive(barrierType);
    this.answerBarrier(answer);
    return this.#inbox.splice(0);
  }

  close(): void {
    this.#stream.cancel();
    this.#client.close();
  }

  protected askBarrier(_typeUrl: string, _name: string): void {}

  protected answerBarrier(_response: Response): void {}

  async #arrival(deadline: number, typeUrl: string | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const late = (): void => reject(new Error(`no response${typeUrl ? ` of type ${typeUrl}` : ''} in time`));
    const timer = setTimeout(late, Math.max(0, deadline - Date.now()));
    this.#waiting.push(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }
}

type DeltaRequest = MessageInitShape<typeof DeltaDiscoveryRequestSchema>;
type SotwRequest = MessageInitShape<typeof DiscoveryRequestSchema>;

const ourEnvoy = { name: 'envoy', version: [1, 40] } as const;

const nodeOf = ({ nodeId = 'node-1', cluster = 'default/gw', metadata, userAgent = ourEnvoy }: ClientOptions) => {
  const [majorNumber = 0, minorNumber = 0] = userAgent.version ?? [];
  const value = { version: { majorNumber, minorNumber, patch: 0 } };
  return {
    id: nodeId,
    cluster,
    metadata,
    userAgentName: userAgent.name,
    ...(userAgent.version && { userAgentVersionType: { case: 'userAgentBuildVersion' as const, value } }),
  };
};

/** `DeltaAggregatedResources`, by hand. The node goes with the first request. */
export class DeltaClient extends HandDrivenClient<DeltaDiscoveryResponse> {
  readonly #options: ClientOptions;
  #first = true;

  constructor(options: ClientOptions) {
    super(options, adsPaths.delta, decodeDeltaResponse);
    this.#options = options;
  }

  send(request: DeltaRequest): void {
    const node = this.#first ? { node: nodeOf(this.#options) } : {};
    this.#first = false;
    this.sendRaw(encodeDeltaRequest(create(DeltaDiscoveryRequestSchema, { ...node, ...request } as DeltaRequest)));
  }

  subscribe(typeUrl: string, ...names: string[]): void {
    this.send({ typeUrl, resourceNamesSubscribe: names });
  }

  unsubscribe(typeUrl: string, ...names: string[]): void {
    this.send({ typeUrl, resourceNamesUnsubscribe: names });
  }

  ack({ typeUrl, nonce }: DeltaDiscoveryResponse): void {
    this.send({ typeUrl, responseNonce: nonce });
  }

  nack({ typeUrl, nonce }: DeltaDiscoveryResponse, message: string): void {
    this.send({ typeUrl, responseNonce: nonce, errorDetail: { code: 13, message } });
  }

  /** Receives and acknowledges. */
  async take(typeUrl?: string): Promise<DeltaDiscoveryResponse> {
    const response = await this.receive(typeUrl);
    this.ack(response);
    return response;
  }

  protected override askBarrier(typeUrl: string, name: string): void {
    this.subscribe(typeUrl, name);
  }

  protected override answerBarrier(response: DeltaDiscoveryResponse): void {
    this.ack(response);
  }
}

/** `StreamAggregatedResources`, by hand. */
export class SotwClient extends HandDrivenClient<DiscoveryResponse> {
  readonly #options: ClientOptions;
  readonly #names = new Map<string, string[]>();
  readonly #last = new Map<string, { nonce: string; version: string }>();
  #first = true;

  constructor(options: ClientOptions) {
    super(options, adsPaths.sotw, decodeSotwResponse);
    this.#options = options;
  }

  send(request: SotwRequest): void {
    const node = this.#first ? { node: nodeOf(this.#options) } : {};
    this.#first = false;
    this.sendRaw(encodeSotwRequest(create(DiscoveryRequestSchema, { ...node, ...request } as SotwRequest)));
  }

  /** Says all names of a type, with the last nonce that was answered. */
  subscribe(typeUrl: string, ...names: string[]): void {
    this.#names.set(typeUrl, names);
    const last = this.#last.get(typeUrl);
    this.send({ typeUrl, resourceNames: names, responseNonce: last?.nonce, versionInfo: last?.version });
  }

  ack({ typeUrl, nonce, versionInfo }: DiscoveryResponse): void {
    this.#last.set(typeUrl, { nonce, version: versionInfo });
    this.send({ typeUrl, responseNonce: nonce, versionInfo, resourceNames: this.#names.get(typeUrl) });
  }

  nack({ typeUrl, nonce }: DiscoveryResponse, message: string): void {
    const versionInfo = this.#last.get(typeUrl)?.version;
    this.#last.set(typeUrl, { nonce, version: versionInfo ?? '' });
    const errorDetail = { code: 13, message };
    this.send({ typeUrl, responseNonce: nonce, versionInfo, resourceNames: this.#names.get(typeUrl), errorDetail });
  }

  async take(typeUrl?: string): Promise<DiscoveryResponse> {
    const response = await this.receive(typeUrl);
    this.ack(response);
    return response;
  }

  protected override askBarrier(typeUrl: string, name: string): void {
    this.subscribe(typeUrl, name);
  }

  protected override answerBarrier(response: DiscoveryResponse): void {
    this.ack(response);
  }
}

/**
 * A client that asks for all resources of a type and reads nothing of the answer. Gives what closes it. It speaks HTTP/2 itself: the gRPC
 * library reads one message ahead even of a stream that is paused.
 */
export function subscribeWithoutReading(port: number, typeUrl: string): () => void {
  const request = encodeDeltaRequest(create(DeltaDiscoveryRequestSchema, { node: nodeOf({ target: port }), typeUrl }));
  // Length-prefixed message of gRPC over HTTP/2: one byte for compression, four for the length.
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(request.length, 1);
  const session = connect(`http://127.0.0.1:${port}`);
  const headers = { ':method': 'POST', ':path': adsPaths.delta, 'content-type': 'application/grpc', te: 'trailers' };
  const stream = session.request(headers);
  for (const end of [session, stream]) end.on('error', () => {});
  stream.write(Buffer.concat([prefix, request]));
  return () => session.destroy();
}

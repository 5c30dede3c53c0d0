import { create } from '@bufbuild/protobuf';
import { type ClientDuplexStream, credentials, makeGenericClientConstructor } from '@grpc/grpc-js';
import { DeltaDiscoveryRequestSchema, typeUrls } from '../../src/envoy/index.ts';
import { adsPaths, adsService, decodeDeltaResponse, encodeDeltaRequest } from '../../src/xds/index.ts';

const Client = makeGenericClientConstructor(adsService, 'ads');
const delta = Object.values(adsService).find(({ path }) => path === adsPaths.delta)!;
/** What an agent asks for first; the rest it asks by name. */
const asked = [typeUrls.cluster, typeUrls.listener, typeUrls.scopedRoute, typeUrls.snapshot];

/** Proxies that are none: each a connection of its own with one delta stream that takes and acknowledges everything. */
export class Fleet {
  readonly #members: Member[] = [];
  readonly #port: number;
  bytes = 0;

  constructor(port: number) {
    this.#port = port;
  }

  get size(): number {
    return this.#members.length;
  }

  /** Resolves when the new one has all that there is. */
  async join(cluster: string): Promise<void> {
    const member = new Member(this.#port, { id: `proxy-${this.size}`, cluster }, (bytes) => {
      this.bytes += bytes;
    });
    this.#members.push(member);
    await member.next();
  }

  /** Waits until everyone has the next snapshot. Milliseconds from the call, for each. */
  async next(): Promise<number[]> {
    const began = performance.now();
    return await Promise.all(this.#members.map(async (member) => (await member.next()) - began));
  }

  close(): void {
    for (const member of this.#members) member.close();
  }
}

class Member {
  readonly #client: InstanceType<typeof Client>;
  readonly #stream: ClientDuplexStream<Uint8Array, Uint8Array>;
  #waiting = Promise.withResolvers<number>();

  constructor(port: number, node: { id: string; cluster: string }, onBytes: (count: number) => void) {
    this.#client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.use_local_subchannel_pool': 1,
    });
    this.#stream = this.#client.makeBidiStreamRequest(delta.path, delta.requestSerialize, delta.responseDeserialize);
    this.#stream.on('error', (error) => this.#waiting.reject(error));
    this.#stream.on('data', (bytes: Uint8Array) => {
      onBytes(bytes.length);
      const { typeUrl, nonce, resources } = decodeDeltaResponse(bytes);
      this.#send({ typeUrl, responseNonce: nonce });
      if (typeUrl === typeUrls.cluster && resources.length > 0)
        this.#send({ typeUrl: typeUrls.endpoint, resourceNamesSubscribe: resources.map(({ name }) => name) });
      if (typeUrl === typeUrls.snapshot) {
        const { resolve } = this.#waiting;
        this.#waiting = Promise.withResolvers();
        resolve(performance.now());
      }
    });
    for (const typeUrl of asked) this.#send({ node, typeUrl });
  }

  /** When the next manifest comes, which is sent after everything else of a snapshot. */
  next(): Promise<number> {
    return this.#waiting.promise;
  }

  close(): void {
    this.#stream.removeAllListeners('error').on('error', () => {});
    this.#stream.cancel();
    this.#client.close();
  }

  #send(request: object): void {
    this.#stream.write(encodeDeltaRequest(create(DeltaDiscoveryRequestSchema, request)));
  }
}

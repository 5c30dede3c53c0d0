import type { ChannelCredentials } from '@grpc/grpc-js';
import { typeUrls } from '../../src/envoy/index.ts';
import type { Endings } from './endings.ts';
import { type ClientOptions, DeltaClient, SotwClient } from './grpc.ts';

/** Why an answer of a type with these resources is rejected; undefined: it is not. `text` is all of their bytes. */
export type Rejects = (typeUrl: string, names: readonly string[], text: string) => string | undefined;

export interface HostileOptions {
  readonly target: number | string;
  readonly variant?: 'delta' | 'sotw';
  readonly nodeId?: string;
  readonly cluster?: string;
  /** An Envoy of our release by default. */
  readonly userAgent?: ClientOptions['userAgent'];
  readonly credentials?: ChannelCredentials;
  readonly rejects: Rejects;
}

const { cluster, endpoint, listener, scopedRoute } = typeUrls;

/** What an answer had to say. */
export interface Heard {
  readonly typeUrl: string;
  readonly names: readonly string[];
  readonly removed: readonly string[];
  readonly rejected: boolean;
}

/** A client that asks for everything, as an Envoy does, and rejects what its script says. */
export class HostileClient {
  readonly heard: Heard[] = [];
  readonly #client: DeltaClient | SotwClient;
  readonly #options: HostileOptions;
  #closed = false;

  constructor(t: Endings, options: HostileOptions) {
    const {
      target,
      variant = 'delta',
      nodeId = 'hostile',
      cluster: of = 'default/edge',
      userAgent,
      credentials,
    } = options;
    this.#options = options;
    const Client = variant === 'delta' ? DeltaClient : SotwClient;
    this.#client = new Client({
      target,
      nodeId,
      cluster: of,
      ...(userAgent && { userAgent }),
      ...(credentials && { credentials }),
    });
    for (const typeUrl of [cluster, listener, scopedRoute]) this.#client.subscribe(typeUrl, '*');
    void this.#run();
    t.teardown(() => this.close());
  }

  /** How many answers it has rejected. */
  get rejections(): number {
    return this.heard.filter(({ rejected }) => rejected).length;
  }

  /** The names that it was sent of a type, one for each time. */
  sent(typeUrl: string): string[] {
    return this.heard.flatMap((each) => (each.typeUrl === typeUrl ? each.names : []));
  }

  get removed(): string[] {
    return this.heard.flatMap(({ removed }) => removed);
  }

  close(): void {
    this.#closed = true;
    this.#client.close();
  }

  async #run(): Promise<void> {
    void this.#client.ended.then(() => {
      this.#closed = true;
    });
    while (!this.#closed) {
      const response = await this.#client.receive(undefined, 500).catch(() => undefined);
      if (response) this.#answer(response);
    }
  }

  #answer(response: Awaited<ReturnType<(DeltaClient | SotwClient)['receive']>>): void {
    const names = 'removedResources' in response ? response.resources.map(({ name }) => name) : [];
    const removed = 'removedResources' in response ? response.removedResources : [];
    const text = response.resources.map((each) => Buffer.from(bodyOf(each)).toString('latin1')).join('');
    const why = this.#options.rejects(response.typeUrl, names, text);
    this.heard.push({ typeUrl: response.typeUrl, names, removed, rejected: why !== undefined });
    if (why === undefined) this.#client.ack(response as never);
    else this.#client.nack(response as never, why);
    if (response.typeUrl === cluster && why === undefined && names.length > 0)
      this.#client.subscribe(endpoint, ...names);
  }
}

/** Of an `Any`, or of what has one. */
function bodyOf(resource: object): Uint8Array {
  const any = ('resource' in resource ? resource.resource : resource) as { readonly value?: Uint8Array } | undefined;
  return any?.value ?? new Uint8Array();
}

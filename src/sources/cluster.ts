import { type Kind, kindsRead } from '../gateway-api/index.ts';
import {
  createOperator,
  type GatewrightOperator,
  type InformerHooks,
  type InformerTiming,
  KubeClient,
  KubeError,
  type LoadedKubeConfig,
} from '../kube/index.ts';
import type { Source, SourceListener } from './source.ts';

export interface ClusterSourceOptions {
  /** From `loadKubeConfig`. */
  readonly config: LoadedKubeConfig;
  /** A client of the same cluster; one is made when left out. */
  readonly client?: KubeClient;
  /** Every kind of `gateway-api` that needs no switch when left out. */
  readonly kinds?: readonly Kind[];
  /** Namespaces to look at; all when left out. */
  readonly namespaces?: readonly string[];
  /** Kinds that are read in another namespace as well, where only some are. */
  readonly also?: readonly { readonly kind: string; readonly namespace: string }[];
  /** Why a kind that protects others has to be served although it is not; undefined: it may be missing. */
  readonly expected?: (kind: Kind) => Promise<string | undefined>;
  readonly hooks?: InformerHooks;
  readonly timing?: Partial<InformerTiming>;
}

/** The cluster cannot be used from the start; the message is one line that says what to do. */
export class ClusterStartError extends Error {
  override readonly name = 'ClusterStartError';
  readonly code: 'unreachable' | 'unauthorized' | 'forbidden';

  constructor(code: ClusterStartError['code'], message: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

// Long enough for a name server's second try, short enough for a person to wait for.
const firstAnswerMs = 10_000;

/**
 * The objects of a Kubernetes cluster. `run` rejects with ClusterStartError when the API server cannot be reached, does not take our
 * credentials, or does not let us read a kind; after the first list nothing but the signal ends it.
 */
export class ClusterSource implements Source {
  readonly #options: ClusterSourceOptions;
  readonly #client: KubeClient;
  #operator: GatewrightOperator | undefined;

  constructor(options: ClusterSourceOptions) {
    this.#options = options;
    this.#client = options.client ?? new KubeClient(options.config.kubeConfig);
  }

  /** False while any kind's watch is broken: the objects may be out of date. A kind that is not installed does not count. */
  get fresh(): boolean {
    return this.#operator?.states().every(({ state }) => state === 'watching' || state === 'missing') ?? false;
  }

  async run(listener: SourceListener, signal: AbortSignal): Promise<void> {
    const { config, kinds, namespaces, also, expected, hooks, timing } = this.#options;
    try {
      await this.#client.version({ signal, timeoutMs: firstAnswerMs });
      const { kubeConfig } = config;
      const read = kinds ?? kindsRead();
      this.#operator = await createOperator({
        client: this.#client,
        kubeConfig,
        kinds: read,
        listener,
        namespaces,
        also,
        expected,
        hooks,
        timing,
      });
      await this.#operator.run(signal);
    } catch (caught) {
      if (signal.aborted) return;
      throw startError(this.#client.server, config.origin, caught);
    }
  }
}

/** What a request that failed at the start means, with what to do; anything but a KubeError as it is. */
export function startError(server: string, origin: string, caught: unknown): unknown {
  if (!(caught instanceof KubeError)) return caught;
  switch (caught.code) {
    case 'forbidden':
      return new ClusterStartError(
        'forbidden',
        `${caught.message}; grant get, list and watch on it: rbac/ has the roles of each way to install`,
        caught,
      );
    case 'unauthorized':
      return new ClusterStartError(
        'unauthorized',
        `the API server ${server} rejects the credentials of the ${origin}: ${caught.message}`,
        caught,
      );
    default:
      return new ClusterStartError(
        'unreachable',
        `cannot use the API server ${server} of the ${origin}: ${caught.message}; check that the cluster is up and that this is its address`,
        caught,
      );
  }
}

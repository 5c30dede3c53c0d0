import { type KubernetesObject, keyOf, kinds, objectKey, type Pod } from '../gateway-api/index.ts';
import { Informer, type InformerHooks, type KubeClient } from '../kube/index.ts';
import { gatewayClassLabel, gatewayNameLabel, gatewayNamespaceLabel, managedByLabel } from './names.ts';
import type { Place } from './placed-proxies.ts';

export interface HostAddressesOptions {
  readonly client: KubeClient;
  /** Called when the nodes of a Gateway's proxies may be others than they were; the key is `hostKey`'s. */
  readonly onChange: (key: string) => void;
  readonly hooks?: InformerHooks | undefined;
  /** Where to look; undefined: everywhere. */
  readonly namespaces?: readonly string[] | undefined;
}

/** How proxies are known by the labels of their pods. */
export const hostKey = ({ namespace, selector }: Pick<Place, 'namespace' | 'selector'>): string =>
  objectKey(namespace, JSON.stringify(ownerLabelNames.map((name) => selector[name] ?? '')));

const ownerLabelNames = [gatewayClassLabel, gatewayNamespaceLabel, gatewayNameLabel] as const;

/**
 * Where the proxies are that bind their ports on nodes: the addresses of their pods, which are the nodes'. Pods are
 * watched from the first request on.
 */
export class HostAddresses {
  readonly #options: HostAddressesOptions;
  readonly #wanted = Promise.withResolvers<void>();
  /** Pods by hostKey, and by key. */
  readonly #pods = new Map<string, Map<string, Pod>>();

  constructor(options: HostAddressesOptions) {
    this.#options = options;
  }

  /** Addresses of the nodes with a proxy of the Gateway that is ready, in an order that does not change by itself. */
  of(place: Place): string[] {
    this.#wanted.resolve();
    const pods = this.#pods.get(hostKey(place))?.values() ?? [];
    const addresses = [...pods].filter(isReady).flatMap(({ status }) => status?.podIPs?.map(({ ip }) => ip) ?? []);
    return [...new Set(addresses)].sort();
  }

  /** Runs until the signal; rejects when the permission to look is missing at the start. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wanted.resolve(), { once: true });
    if (!signal.aborted) await this.#wanted.promise;
    const { namespaces = [undefined] } = this.#options;
    if (!signal.aborted) await Promise.all(namespaces.map((namespace) => this.#informer(namespace).run(signal)));
  }

  #informer(namespace: string | undefined): Informer {
    const { client, hooks, onChange } = this.#options;
    const keep = (object: KubernetesObject) => {
      const key = hostKeyOfPod(object);
      const pods = this.#pods.get(key) ?? new Map<string, Pod>();
      this.#pods.set(key, pods.set(keyOf(object), object as Pod));
      onChange(key);
    };
    return new Informer({
      client,
      kind: kinds.Pod,
      namespace,
      awaitsPermission: namespace !== undefined,
      labelSelector: `${managedByLabel.name}=${managedByLabel.value}`,
      hooks,
      handler: {
        added: keep,
        modified: keep,
        deleted: (object) => {
          const key = hostKeyOfPod(object);
          const pods = this.#pods.get(key);
          pods?.delete(keyOf(object));
          if (pods?.size === 0) this.#pods.delete(key);
          onChange(key);
        },
        synced: () => {},
        available: () => {},
      },
    });
  }
}

const hostKeyOfPod = ({ metadata: { namespace = '', labels = {} } }: KubernetesObject): string =>
  hostKey({ namespace, selector: labels });

const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false);

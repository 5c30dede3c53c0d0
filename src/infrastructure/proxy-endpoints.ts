import { type EndpointSlice, type KubernetesObject, keyOf, kinds, objectKey } from '../gateway-api/index.ts';
import { Informer, type InformerHooks, type KubeClient } from '../kube/index.ts';
import { managedByLabel } from './names.ts';

/** What there is behind the Service of some proxies. */
export interface ServiceEndpoints {
  /** Ports at which a proxy takes connections, such as `TCP/80`, in order. */
  readonly open: readonly string[];
  /** Names of the pods, whether they are ready or not. */
  readonly pods: ReadonlySet<string>;
}

export interface ProxyEndpointsOptions {
  readonly client: KubeClient;
  /** Where to look; undefined: everywhere. */
  readonly namespaces?: readonly string[] | undefined;
  /** Called with the key of a Service when what is behind it may be different; without one when that may be so of all. */
  readonly onChange: (service?: string) => void;
  /** Everything is known that may be read. Once. */
  readonly onSynced: () => void;
  /** For the log: what is behind Services cannot be read. */
  readonly onForbidden: (reason: string) => void;
  readonly hooks?: InformerHooks | undefined;
}

/** The EndpointSlices of our Services. The cluster gives them the Services' labels, so that no others are read. */
export class ProxyEndpoints {
  readonly #options: ProxyEndpointsOptions;
  /** By key of the Service, then of the slice. */
  readonly #slices = new Map<string, Map<string, EndpointSlice>>();
  readonly #informers: readonly Informer[];
  /** Namespaces that may not be read; `undefined`: none may. */
  readonly #forbidden = new Set<string | undefined>();
  #unsynced: number;

  constructor(options: ProxyEndpointsOptions) {
    this.#options = options;
    const { namespaces = [undefined] } = options;
    this.#informers = namespaces.map((namespace) => this.#informer(namespace));
    this.#unsynced = this.#informers.length;
  }

  get isSynced(): boolean {
    return this.#unsynced === 0;
  }

  /** What is behind the Service; undefined: it may not be read, as with the rights of an earlier release. */
  of(service: { readonly namespace: string; readonly name: string }): ServiceEndpoints | undefined {
    if (this.#forbidden.has(undefined) || this.#forbidden.has(service.namespace)) return undefined;
    return endpointsIn(this.#slices.get(objectKey(service.namespace, service.name))?.values() ?? []);
  }

  /** Runs until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.run(signal)));
  }

  #informer(namespace: string | undefined): Informer {
    const { client, hooks, onChange, onForbidden } = this.#options;
    let isSynced = false;
    const synced = () => {
      if (isSynced) return;
      isSynced = true;
      this.#unsynced -= 1;
      if (this.isSynced) this.#options.onSynced();
    };
    const keep = (object: KubernetesObject) => {
      const service = serviceOf(object);
      if (service === undefined) return;
      const slices = this.#slices.get(service) ?? new Map<string, EndpointSlice>();
      this.#slices.set(service, slices.set(keyOf(object), object as EndpointSlice));
      onChange(service);
    };
    return new Informer({
      client,
      kind: kinds.EndpointSlice,
      namespace,
      labelSelector: `${managedByLabel.name}=${managedByLabel.value}`,
      awaitsPermission: true,
      hooks,
      handler: {
        added: keep,
        modified: keep,
        deleted: (object) => {
          const service = serviceOf(object) ?? '';
          const slices = this.#slices.get(service);
          if (!slices?.delete(keyOf(object))) return;
          if (slices.size === 0) this.#slices.delete(service);
          onChange(service);
        },
        synced,
        permitted: (permitted, message) => {
          if (permitted) this.#forbidden.delete(namespace);
          else this.#forbidden.add(namespace);
          if (!permitted) onForbidden(message);
          synced();
          onChange();
        },
        available: () => {},
      },
    });
  }
}

/** Together, of all slices of one Service. */
function endpointsIn(slices: Iterable<EndpointSlice>): ServiceEndpoints {
  const open = new Set<string>();
  const pods = new Set<string>();
  for (const { endpoints, ports = [] } of slices) {
    for (const { targetRef } of endpoints) if (targetRef?.name) pods.add(targetRef.name);
    if (!endpoints.some(takesConnections)) continue;
    for (const { port, protocol = 'TCP' } of ports) if (port !== undefined) open.add(`${protocol}/${port}`);
  }
  return { open: [...open].sort(), pods };
}

/** While no endpoint is ready, connections go to those that still serve and are about to end. Source: KEP-1669. */
const takesConnections = ({ conditions = {} }: EndpointSlice['endpoints'][number]): boolean =>
  conditions.serving ?? conditions.ready ?? true;

function serviceOf({ metadata }: KubernetesObject): string | undefined {
  const name = metadata.labels?.['kubernetes.io/service-name'];
  return name === undefined ? undefined : objectKey(metadata.namespace, name);
}

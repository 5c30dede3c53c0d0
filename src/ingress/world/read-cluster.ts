import type { KubernetesObject, ObjectKey } from '../../gateway-api/index.ts';
import { parseObjectKey } from '../../gateway-api/index.ts';
import { type KubeClient, KubeError, type ResourceType } from '../../kube/index.ts';
import { namedConfigMaps, namedSecrets } from './named-objects.ts';
import { apiVersions } from './schema.ts';
import type { ReadKind, World } from './world.ts';
import { type ObjectFault, type WorldOptions, WorldReader } from './world-reader.ts';

/** What could not be read of a cluster. */
export interface MissingRight {
  readonly kind: ReadKind;
  readonly verb: 'list' | 'get';
  /** Of the API server. */
  readonly message: string;
}

export interface WorldCluster {
  readonly world: World;
  readonly faults: readonly ObjectFault[];
  readonly missingRights: readonly MissingRight[];
}

/** Where the API server keeps the kinds. */
const types: Readonly<Record<ReadKind, ResourceType>> = {
  Ingress: { group: 'networking.k8s.io', version: 'v1', plural: 'ingresses' },
  IngressClass: { group: 'networking.k8s.io', version: 'v1', plural: 'ingressclasses' },
  Service: { group: '', version: 'v1', plural: 'services' },
  EndpointSlice: { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' },
  Secret: { group: '', version: 'v1', plural: 'secrets' },
  ConfigMap: { group: '', version: 'v1', plural: 'configmaps' },
  Deployment: { group: 'apps', version: 'v1', plural: 'deployments' },
  DaemonSet: { group: 'apps', version: 'v1', plural: 'daemonsets' },
};

const listed = ['Ingress', 'IngressClass', 'Service', 'EndpointSlice', 'Deployment', 'DaemonSet'] as const;

/**
 * Reads the world of a cluster; changes nothing there. Of Secrets and ConfigMaps only those that the controller or an Ingress names. What the
 * user may not read is unread, and named. Rejects with a KubeError when the API server cannot be reached or knows no such user.
 */
export async function readWorldCluster(
  client: KubeClient,
  options: Pick<WorldOptions, 'className' | 'configMap'> = {},
): Promise<WorldCluster> {
  const reading = new Reading(client);
  for (const kind of listed) await reading.list(kind);
  // Names of the first world; its settings name more ConfigMaps once they are read.
  const first = reading.world(options);
  await reading.get('Secret', namedSecrets(first));
  await reading.get('ConfigMap', namedConfigMaps(first));
  const second = reading.world(options);
  await reading.get('ConfigMap', namedConfigMaps(second));
  return { world: reading.world(options), faults: reading.faults, missingRights: reading.missingRights };
}

class Reading {
  readonly faults: ObjectFault[] = [];
  readonly missingRights: MissingRight[] = [];
  readonly #client: KubeClient;
  readonly #reader = new WorldReader();
  readonly #asked = new Set<string>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  world(options: Pick<WorldOptions, 'className' | 'configMap'>): World {
    return this.#reader.world({ ...options, unread: this.missingRights.map(({ kind }) => kind) });
  }

  async list(kind: ReadKind): Promise<void> {
    const objects = await this.#allowed(kind, 'list', () => this.#client.list(types[kind]));
    for (const object of objects ?? []) this.#add(kind, object);
  }

  /** Those that are there. */
  async get(kind: ReadKind, keys: Iterable<ObjectKey>): Promise<void> {
    for (const key of keys) {
      if (this.#asked.has(`${kind} ${key}`) || this.missingRights.some((missing) => missing.kind === kind)) continue;
      this.#asked.add(`${kind} ${key}`);
      const object = await this.#allowed(kind, 'get', () => this.#client.find(types[kind], parseObjectKey(key)));
      if (object) this.#add(kind, object);
    }
  }

  /** Items of a list have neither kind nor version. */
  #add(kind: ReadKind, object: KubernetesObject): void {
    this.faults.push(...this.#reader.add({ ...object, kind, apiVersion: apiVersions[kind] }));
  }

  async #allowed<T>(kind: ReadKind, verb: MissingRight['verb'], ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof KubeError) || (error.code !== 'forbidden' && error.code !== 'not-found')) throw error;
      this.missingRights.push({ kind, verb, message: error.message });
      return undefined;
    }
  }
}

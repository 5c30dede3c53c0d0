import { type Kind, type KubernetesObject, keyOf } from '../gateway-api/index.ts';
import { Informer, type InformerHooks, type KubeClient } from '../kube/index.ts';
import { managedByLabel } from './names.ts';
import { type ProxyKindName, proxyKinds } from './object.ts';
import { gatewayOf, isMadeBy } from './owner.ts';

export interface ManagedObjectsOptions {
  readonly client: KubeClient;
  readonly controllerName: string;
  /** Told for each object that appeared, changed or went, with the key of the Gateway it was made for. */
  readonly onChange: (gatewayKey: string) => void;
  /** Every object of ours is known. Once. */
  readonly onSynced: () => void;
  readonly hooks?: InformerHooks;
}

/**
 * Everything that we made, kept current by a watch on our label. Of what carries it and was made by another controller, or only
 * looks like ours, nothing is kept.
 */
export class ManagedObjects {
  readonly #objects = new Map<ProxyKindName, Map<string, KubernetesObject>>();
  readonly #informers: readonly Informer[];
  readonly #options: ManagedObjectsOptions;
  #unsynced: number;

  constructor(options: ManagedObjectsOptions) {
    this.#options = options;
    const names = Object.keys(proxyKinds) as ProxyKindName[];
    this.#unsynced = names.length;
    this.#informers = names.map((name) => this.#informer(name));
  }

  get isSynced(): boolean {
    return this.#unsynced === 0;
  }

  /** `key` as keyOf makes it. */
  find(kind: ProxyKindName, key: string): KubernetesObject | undefined {
    return this.#objects.get(kind)?.get(key);
  }

  /** Objects made for the Gateway, in this place or in a former one. */
  *of(gatewayKey: string): Iterable<KubernetesObject & { readonly kind: ProxyKindName }> {
    for (const [kind, objects] of this.#objects) {
      for (const object of objects.values()) if (gatewayOf(object) === gatewayKey) yield { ...object, kind };
    }
  }

  /** Keys of all Gateways that something was made for. */
  gateways(): Set<string> {
    const all = [...this.#objects.values()].flatMap((objects) => [...objects.values()].map(gatewayOf));
    return new Set(all.filter((key) => key !== undefined));
  }

  /** Runs until the signal; rejects when the permission to look is missing at the start. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.run(signal)));
  }

  #informer(name: ProxyKindName): Informer {
    const objects = new Map<string, KubernetesObject>();
    this.#objects.set(name, objects);
    const { controllerName } = this.#options;
    const keep = (object: KubernetesObject) => {
      const key = keyOf(object);
      const before = objects.get(key);
      if (isMadeBy(controllerName, object)) objects.set(key, object);
      else if (!objects.delete(key)) return;
      if (before && gatewayOf(before) !== gatewayOf(object)) this.#tell(before);
      this.#tell(object);
    };
    return new Informer({
      client: this.#options.client,
      kind: ours(proxyKinds[name]),
      hooks: this.#options.hooks,
      handler: {
        added: keep,
        modified: keep,
        deleted: (object) => {
          if (objects.delete(keyOf(object))) this.#tell(object);
        },
        synced: () => {
          this.#unsynced -= 1;
          if (this.isSynced) this.#options.onSynced();
        },
        // These kinds are part of every cluster.
        available: () => {},
      },
    });
  }

  #tell(object: KubernetesObject): void {
    const gateway = gatewayOf(object);
    if (gateway !== undefined) this.#options.onChange(gateway);
  }
}

/** The kind as the API server serves it for our label only: what a cluster has of others is far more than what we make. */
function ours(kind: Kind): Kind {
  const selector = encodeURIComponent(`${managedByLabel.name}=${managedByLabel.value}`);
  return { ...kind, plural: `${kind.plural}?labelSelector=${selector}` };
}

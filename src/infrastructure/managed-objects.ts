import { type KubernetesObject, keyOf } from '../gateway-api/index.ts';
import { Informer, type InformerHooks, type KubeClient } from '../kube/index.ts';
import { managedByLabel } from './names.ts';
import { lateKinds, type ProxyKindName, proxyKinds } from './object.ts';
import { gatewayOf, isMadeBy } from './owner.ts';

export interface ManagedObjectsOptions {
  readonly client: KubeClient;
  readonly controllerName: string;
  /** Where to look; undefined: everywhere. */
  readonly namespaces?: readonly string[] | undefined;
  /** Called for each object that appeared, changed or went, with the key of the Gateway it was made for. */
  readonly onChange: (gatewayKey: string) => void;
  /** Every object of ours is known. Once. */
  readonly onSynced: () => void;
  /** Objects of a kind of which the right may be missing (lateKinds) may be looked at again, or not any more. */
  readonly onPermitted?: (kind: ProxyKindName, permitted: boolean, message: string) => void;
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
    const { namespaces = [undefined] } = options;
    const names = Object.keys(proxyKinds) as ProxyKindName[];
    this.#informers = names.flatMap((name) => {
      this.#objects.set(name, new Map());
      return namespaces.map((namespace) => this.#informer(name, namespace));
    });
    this.#unsynced = this.#informers.length;
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

  #informer(name: ProxyKindName, namespace: string | undefined): Informer {
    const objects = this.#objects.get(name) ?? new Map<string, KubernetesObject>();
    let isSynced = false;
    const synced = () => {
      if (isSynced) return;
      isSynced = true;
      this.#unsynced -= 1;
      if (this.isSynced) this.#options.onSynced();
    };
    const { controllerName } = this.#options;
    const keep = (object: KubernetesObject) => {
      const key = keyOf(object);
      const before = objects.get(key);
      if (isMadeBy(controllerName, object)) objects.set(key, object);
      else if (!objects.delete(key)) return;
      if (before && gatewayOf(before) !== gatewayOf(object)) this.#notify(before);
      this.#notify(object);
    };
    return new Informer({
      client: this.#options.client,
      kind: proxyKinds[name],
      namespace,
      labelSelector: `${managedByLabel.name}=${managedByLabel.value}`,
      // One of several namespaces may not be open to us yet: the others are looked after meanwhile.
      awaitsPermission: namespace !== undefined || lateKinds.has(name),
      hooks: this.#options.hooks,
      handler: {
        added: keep,
        modified: keep,
        deleted: (object) => {
          if (objects.delete(keyOf(object))) this.#notify(object);
        },
        synced,
        permitted: (permitted, message) => {
          synced();
          if (lateKinds.has(name)) this.#options.onPermitted?.(name, permitted, message);
        },
        // These kinds are part of every cluster.
        available: () => {},
      },
    });
  }

  #notify(object: KubernetesObject): void {
    const gateway = gatewayOf(object);
    if (gateway !== undefined) this.#options.onChange(gateway);
  }
}

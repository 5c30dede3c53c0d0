import {
  type ConfigMap,
  type Ingress,
  type KubernetesObject,
  namespaceOfKey,
  type ObjectKey,
  type Secret,
  type Service,
} from '../../gateway-api/index.ts';
import type { World } from '../world/world.ts';
import { idOf } from './look-of.ts';
import type { LookedUpKind, Lookup, NativeOptions } from './options.ts';

/** The class that all Ingresses of a native world are of. */
const ownClass = 'own';

/** What was looked up, `KIND KEY`: a change of it may change what is made. */
export type Reads = Set<string>;

/**
 * Some Ingresses and what they refer to, as the reader of ingress-nginx sees them. Secrets and ConfigMaps of namespaces without an Ingress here
 * are not there: none may learn of them.
 */
export function worldOf(
  ingresses: readonly Ingress[],
  { controllerName, hsts }: NativeOptions,
  { lookup, reads, hasDefault }: { readonly lookup: Lookup; readonly reads: Reads; readonly hasDefault: boolean },
): World {
  const namespaces = new Set(ingresses.map(({ metadata }) => metadata.namespace ?? ''));
  const found = <T>(kind: LookedUpKind) => new FoundObjects<T & KubernetesObject>(kind, { lookup, reads, namespaces });
  return {
    ingresses: ingresses.map((ingress) => ({ ...ingress, spec: { ...ingress.spec, ingressClassName: ownClass } })),
    classes: new Map([
      [
        ownClass,
        {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'IngressClass',
          metadata: { name: ownClass },
          spec: { controller: controllerName },
        },
      ],
    ]),
    services: found<Service>('Service'),
    slices: new Map(),
    secrets: found<Secret>('Secret'),
    configMaps: found<ConfigMap>('ConfigMap'),
    controller: {
      flags: new Map([
        ['disable-svc-external-name', 'true'],
        ...(hasDefault ? [['default-ssl-certificate', 'of/gateway'] as const] : []),
      ]),
      className: ownClass,
      controllerClass: controllerName,
      settings: { hsts: String(hsts) },
    },
    otherControllers: [],
    unread: new Set(['EndpointSlice', 'Deployment', 'DaemonSet']),
  };
}

interface From {
  readonly lookup: Lookup;
  readonly reads: Reads;
  readonly namespaces: ReadonlySet<string>;
}

/** Looks objects up when they are asked for, and remembers that they were. */
class FoundObjects<T extends KubernetesObject> extends Map<ObjectKey, T> {
  readonly #kind: LookedUpKind;
  readonly #from: From;

  constructor(kind: LookedUpKind, from: From) {
    super();
    this.#kind = kind;
    this.#from = from;
  }

  override get(key: ObjectKey): T | undefined {
    const { lookup, reads, namespaces } = this.#from;
    if (!namespaces.has(namespaceOfKey(key))) return undefined;
    reads.add(idOf(this.#kind, key));
    return lookup.find(this.#kind, key) as T | undefined;
  }

  override has(key: ObjectKey): boolean {
    return this.get(key) !== undefined;
  }
}

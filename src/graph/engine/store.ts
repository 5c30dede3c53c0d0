import { type HostRules, hostRules } from '../../egress/index.ts';
import {
  type CrossReference,
  isGranted,
  type KindName,
  keyOf,
  kinds,
  type ObjectByKind,
} from '../../gateway-api/index.ts';
import { backendOwner } from '../model/index.ts';
import { BackendProviders } from './backend-providers.ts';
import { drop, insert } from './buckets.ts';
import { PodIndex } from './pod-index.ts';
import type { Scope } from './scope.ts';
import type { StoredObjects } from './stored-objects.ts';
import { type FoundCode, noUserCode, type UserCode } from './user-code.ts';

/** The stored objects, by kind and key. */
export class Store implements StoredObjects {
  readonly scope: Scope;
  readonly hosts: HostRules;
  readonly userCode: UserCode;
  /** The kinds that references of routes lead to. */
  readonly providers: BackendProviders;
  readonly #objects: { readonly [K in KindName]: Map<string, ObjectByKind[K]> };
  readonly #grantsByNamespace = new Map<string, Map<string, ObjectByKind['ReferenceGrant']>>();
  readonly #pods = new PodIndex();
  /** EndpointSlices by owner: see sliceOwners. */
  readonly #slicesByOwner = new Map<string, Map<string, ObjectByKind['EndpointSlice']>>();

  /** By what objects ask for. */
  readonly #codes = new Map<string, FoundCode>();

  constructor(scope: Scope = {}, hosts = hostRules(), providers = new BackendProviders(), userCode = noUserCode) {
    this.userCode = userCode;
    this.providers = providers;
    this.scope = scope;
    this.hosts = hosts;
    const maps = Object.keys(kinds).map((kind) => [kind, new Map()]);
    this.#objects = Object.fromEntries(maps);
  }

  find<K extends KindName>(kind: K, key: string): ObjectByKind[K] | undefined {
    return this.#objects[kind].get(key);
  }

  list<K extends KindName>(kind: K): Iterable<ObjectByKind[K]> {
    return this.#objects[kind].values();
  }

  count(kind: KindName): number {
    return this.#objects[kind].size;
  }

  put<K extends KindName>(kind: K, object: ObjectByKind[K]): void {
    const key = keyOf(object);
    this.#unindex(kind, key);
    this.#objects[kind].set(key, object);
    if (kind === 'ReferenceGrant') {
      insert(this.#grantsByNamespace, object.metadata.namespace ?? '', key, object as ObjectByKind['ReferenceGrant']);
    }
    if (kind === 'Pod') this.#pods.add(key, object as ObjectByKind['Pod']);
    for (const owner of sliceOwners(kind, object))
      insert(this.#slicesByOwner, owner, key, object as ObjectByKind['EndpointSlice']);
  }

  remove(kind: KindName, key: string): void {
    this.#unindex(kind, key);
    this.#objects[kind].delete(key);
  }

  /** `code` undefined: it is forgotten. */
  setCode(source: string, code: FoundCode | undefined): void {
    if (code) this.#codes.set(source, code);
    else this.#codes.delete(source);
  }

  codeOf(source: string): FoundCode | undefined {
    return this.#codes.get(source);
  }

  codes(): Iterable<readonly [source: string, code: FoundCode]> {
    return this.#codes;
  }

  slicesOf(owner: string): Iterable<ObjectByKind['EndpointSlice']> {
    return this.#slicesByOwner.get(owner)?.values() ?? [];
  }

  podsOf(namespace: string, labels: Readonly<Record<string, string>>): Iterable<ObjectByKind['Pod']> {
    return this.#pods.of(namespace, labels);
  }

  allows(reference: CrossReference): boolean {
    const { from, to } = reference;
    return (
      from.namespace === to.namespace || isGranted(this.#grantsByNamespace.get(to.namespace)?.values() ?? [], reference)
    );
  }

  #unindex(kind: KindName, key: string): void {
    const before = this.#objects[kind].get(key);
    if (!before) return;
    if (kind === 'ReferenceGrant') drop(this.#grantsByNamespace, before.metadata.namespace ?? '', key);
    if (kind === 'Pod') this.#pods.delete(key, before as ObjectByKind['Pod']);
    for (const owner of sliceOwners(kind, before)) drop(this.#slicesByOwner, owner, key);
  }
}

/**
 * What an EndpointSlice has endpoints of, as backendOwner: a Service, a ServiceImport, or both, where a Service stands for the import in its
 * cluster. Nothing for objects of other kinds.
 */
export function sliceOwners(kind: KindName, { metadata }: ObjectByKind[KindName]): readonly string[] {
  if (kind !== 'EndpointSlice') return [];
  const { labels = {}, namespace } = metadata;
  const service = labels['kubernetes.io/service-name'];
  const imported = labels['multicluster.kubernetes.io/service-name'];
  return [
    ...(service ? [`${namespace}/${service}`] : []),
    ...(imported ? [backendOwner('ServiceImport', `${namespace}/${imported}`)] : []),
  ];
}

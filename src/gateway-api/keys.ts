/** Keys of objects and the versions of their API: what makes each stands beside what takes it apart. */
import type { Key } from '../std/index.ts';
import type { KubernetesObject } from './objects.ts';

/** `NAMESPACE/NAME`, or `NAME` for cluster-scoped objects: unique among objects of one kind. */
export type ObjectKey = Key<'object'>;

export const objectKey = (namespace: string | undefined, name: string): ObjectKey =>
  (namespace === undefined || namespace === '' ? name : `${namespace}/${name}`) as ObjectKey;

export const keyOf = (object: Pick<KubernetesObject, 'metadata'>): ObjectKey =>
  objectKey(object.metadata.namespace, object.metadata.name);

/** The two halves of an object's key; the namespace of a cluster-scoped key is empty. */
export function parseObjectKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The namespace of `NAMESPACE/NAME`; empty where there is none. */
export const namespaceOfKey = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')));

/** The parts of `GROUP/VERSION`, or of `VERSION` for the core group, whose name is empty. */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const { namespace: group, name: version } = parseObjectKey(apiVersion);
  return { group, version };
}

import type { KubernetesObject } from './objects.ts';

/** `NAMESPACE/NAME`, or `NAME` for cluster-scoped objects: how objects of one kind are told apart. */
export const keyOf = (object: Pick<KubernetesObject, 'metadata'>): string =>
  objectKey(object.metadata.namespace, object.metadata.name);

export const objectKey = (namespace: string | undefined, name: string): string =>
  namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;

/** The two halves of a `NAMESPACE/NAME` key; the namespace of a cluster-scoped key is empty. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

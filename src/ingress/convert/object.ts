import type { Fields } from '../features/part.ts';

/** An object without its comments. */
export const objectOf = (
  apiVersion: string,
  kind: string,
  metadata: { readonly name: string; readonly namespace: string },
  spec: Fields,
): Fields => ({
  apiVersion,
  kind,
  metadata: { name: metadata.name, namespace: metadata.namespace },
  spec,
});

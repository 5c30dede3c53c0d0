import type { Store } from '../engine/index.ts';
import { parseBackendOwner } from '../model/index.ts';

/** Keys of the backends that an owner, see backendOwner, has by itself. */
export function backendsOfOwner(owner: string, store: Store): readonly string[] {
  const { kind, key } = parseBackendOwner(owner);
  const object = store.find(kind, key);
  return object ? store.providers.get(kind).keysOf(object as never, store) : [];
}

import { reads, unread } from './scope.ts';
import type { StoredObjects } from './stored-objects.ts';

/** What a reference leads to, and who refers. */
interface Ungranted {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: { readonly kind: string; readonly namespace: string };
}

/** Why a reference into another namespace is not permitted. Source: GEP-709, RefNotPermitted. */
export function ungranted({ kind, namespace, name, user }: Ungranted, { scope }: StoredObjects): string {
  const what = `${kind} ${namespace}/${name}`;
  if (!reads(scope, namespace)) return `${what} ${unread(namespace)}, and so is any ReferenceGrant that would allow it`;
  return `${what} is in another namespace and no ReferenceGrant there allows ${pluralOf(user.kind)} of ${user.namespace} to use it`;
}

const pluralOf = (kind: string): string => kind.replace(/([^aeiou])y$|$/, (_, last) => (last ? `${last}ies` : 's'));

/**
 * Names of objects that are made of an Ingress and are in no cluster: `Ingress:web` and `Ingress:web:to-https`. No object of a cluster may have
 * a colon in its name, so no user can make, replace or imitate one of these.
 */
import { type ObjectKey, objectKey, parseObjectKey } from './keys.ts';

const beginning = 'Ingress:';

/** The name of what is made of an Ingress; with an ending where that is several objects of a kind. */
export const nameFromIngress = (ingress: string, ending = ''): string =>
  `${beginning}${ingress}${ending === '' ? '' : `:${ending}`}`;

/** The key of the Ingress that an object with this key was made of; undefined for all others. */
export function ingressOf(key: string): ObjectKey | undefined {
  const { namespace, name } = parseObjectKey(key);
  const ingress = ingressNameOf(name);
  return ingress === undefined ? undefined : objectKey(namespace, ingress);
}

/** The name of the Ingress that an object with this name was made of; undefined for all others. */
export const ingressNameOf = (name: string): string | undefined =>
  name.startsWith(beginning) ? name.slice(beginning.length).split(':', 1)[0] : undefined;

/** `HTTPRoute shop/web`; of what is made of an Ingress, `Ingress shop/web`, since users know no other object. */
export function shownObject(kind: string, key: string): string {
  const ingress = ingressOf(key);
  return ingress === undefined ? `${kind} ${key}` : `Ingress ${ingress}`;
}

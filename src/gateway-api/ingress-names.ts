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
  if (!name.startsWith(beginning)) return undefined;
  return objectKey(namespace, name.slice(beginning.length).split(':', 1)[0] ?? '');
}

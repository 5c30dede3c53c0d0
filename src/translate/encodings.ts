import * as ir from '../ir/index.ts';
import { originOf } from './hosts/index.ts';
import type { EnvoyResource, Origin } from './resource/index.ts';

/** What fragments came to: several gateways may share one. */
export class Encodings {
  readonly #known = new WeakMap<object, EnvoyResource>();

  once<T extends object>(
    fragment: T | undefined,
    translate: (fragment: T) => EnvoyResource | undefined,
  ): EnvoyResource | undefined {
    if (!fragment) return undefined;
    const known = this.#known.get(fragment);
    const resource = known ?? translate(fragment);
    if (!known && resource) this.#known.set(fragment, resource);
    return resource;
  }
}

/** The resource with the one fragment that it is made from, unless it says better what that is. */
export const ofOrigin: typeof originOf = (kind, key, fragment, resource) =>
  resource.provenance ? resource : originOf(kind, key, fragment, resource);

/** The place of a fragment, and what is at fault if it cannot be encoded. */
export const placeOf = (
  kind: Origin['kind'],
  key: string,
  fragment: object | undefined,
): [place: string, origins: () => readonly Origin[]] => [
  `${kind} ${key}`,
  () => (fragment ? [{ kind, key, digest: ir.digestOf(fragment) }] : []),
];

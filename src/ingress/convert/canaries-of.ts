import { hostsOf, type Site } from '../judge/site.ts';
import { Annotations } from '../model/annotations.ts';
import type { Ingress } from '../world/objects.ts';

/** Ingresses with `canary` for a host and path of the Ingress, in the controller's order: rules and weights of its routes. */
export function canariesOf(ingress: Ingress, { byHost, world }: Site): readonly Ingress[] {
  const paths = new Set(placesOf(ingress));
  const near = new Set(hostsOf(ingress).flatMap((host) => byHost.get(host) ?? []));
  return [...near].filter(
    (other) =>
      other !== ingress &&
      new Annotations(other, world.controller).flag('canary') === true &&
      placesOf(other).some((place) => paths.has(place)),
  );
}

const placesOf = ({ spec: { rules = [] } }: Ingress): readonly string[] =>
  rules.flatMap(({ host = '', http }) => (http?.paths ?? []).map(({ path = '/' }) => `${host} ${path}`));

import type { ObjectByKind, Secret, Service } from '../../gateway-api/index.ts';
import type { LookedUpKind, Lookup } from './options.ts';

/** What is looked up. */
export const idOf = (kind: LookedUpKind, key: string): string => `${kind} ${key}`;

/** What of an object what is made of an Ingress depends on, as a text: two that are alike in it make the same. `id` as idOf makes it. */
export function lookOf(lookup: Lookup, id: string): string {
  const space = id.indexOf(' ');
  const kind = id.slice(0, space) as LookedUpKind;
  const object = lookup.find(kind, id.slice(space + 1));
  if (object === undefined) return '';
  if (kind === 'Gateway') return JSON.stringify((object as ObjectByKind['Gateway']).spec.listeners);
  if (kind === 'Service') {
    const { type, ports = [] } = (object as Service).spec;
    return JSON.stringify([type, ports.map(({ name, port }) => [name, port])]);
  }
  // Contents of Secrets are not kept twice.
  const { data } = object as Secret;
  return `${object.metadata.uid ?? ''} ${object.metadata.resourceVersion ?? JSON.stringify(data)}`;
}

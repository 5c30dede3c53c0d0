import type { Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, textAt, textOf } from '../../kit/values.ts';

/** What servers that policies ask have, below the field that has `backendRefs`. */
export const serverFields: readonly string[] = ['backendRef', 'backendRefs', 'backendSettings'];

/**
 * The server that a policy asks: one Service, or an XBackend where `outside` allows it; undefined if there is none, or no word for it. A
 * `Backend` becomes an XBackend of its name.
 */
export function serverOf(fields: Fields, visit: Visit, outside = false): Fields | undefined {
  if (fields.backendSettings !== undefined)
    visit.at('backendSettings').miss('is a BackendPolicy of the Service here: write one');
  const refs = fields.backendRefs === undefined ? [] : listOf(fields.backendRefs).map(fieldsOf);
  const all = fields.backendRef === undefined ? refs : [...refs, fieldsOf(fields.backendRef)];
  const [first, second] = all;
  if (first === undefined) return undefined;
  if (second !== undefined) {
    visit.at('backendRefs').lose('names several servers, and a policy here asks one');
    return undefined;
  }
  const kind = textAt(first, 'kind') ?? 'Service';
  const { namespace, port } = first;
  const name = textOf(first.name);
  if (kind === 'Service') return { name, ...(namespace !== undefined && { namespace }), port };
  if (kind === 'Backend' && outside)
    return {
      group: 'gateway.networking.x-k8s.io',
      kind: 'XBackend',
      name,
      ...(namespace !== undefined && { namespace }),
    };
  visit.at('backendRefs').lose(`names a ${kind}, and this part of a policy asks Services alone`);
  return undefined;
}

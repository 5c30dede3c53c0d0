import { type Cause, isRecord, memberSchema, type StructuralSchema } from './schema.ts';

/** Items that are in a `set` list twice, or have the keys of an earlier item of a `map` list. */
export function duplicateItems(schema: StructuralSchema, value: unknown, path: Cause['path'] = []): Cause[] {
  if (Array.isArray(value)) return [...duplicatesOf(schema, value, path), ...inItems(schema, value, path)];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = memberSchema(schema, name);
    return inner === undefined || typeof member !== 'object' ? [] : duplicateItems(inner, member, [...path, name]);
  });
}

function inItems({ items }: StructuralSchema, value: readonly unknown[], path: Cause['path']): Cause[] {
  return items === undefined ? [] : value.flatMap((item, index) => duplicateItems(items, item, [...path, index]));
}

function duplicatesOf(schema: StructuralSchema, value: readonly unknown[], path: Cause['path']): Cause[] {
  const identity = identityOf(schema);
  if (identity === undefined) return [];
  const seen = new Map<string, number>();
  return value.flatMap((item, index) => {
    const id = identity(item);
    const first = seen.get(id);
    if (first === undefined) {
      seen.set(id, index);
      return [];
    }
    return [{ path: [...path, index], message: `is a duplicate of item ${first}: ${id}` }];
  });
}

/** The keys of this list's items; undefined when it has none. */
export function identityOf(schema: StructuralSchema): ((item: unknown) => string) | undefined {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return (item) => JSON.stringify(item);
    case 'map': {
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      return (item) =>
        JSON.stringify(Object.fromEntries(keys.map((key) => [key, isRecord(item) ? item[key] : undefined])));
    }
    default:
      return undefined;
  }
}

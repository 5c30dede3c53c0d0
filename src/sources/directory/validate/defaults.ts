import { isRecord, memberSchema, type StructuralSchema } from './schema.ts';

/**
 * The value with the schema's defaults filled in, as a new value; the given one is not touched. As in the API server, a null where null is
 * not allowed and a default exists counts as not given, and defaults apply inside of defaults.
 */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => withDefaults(items, item));
  }
  if (!isRecord(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const inner = memberSchema(schema, name);
    const dropped = member === null && inner?.default !== undefined && inner.nullable !== true;
    if (!dropped) setOwn(filled, name, inner === undefined ? member : withDefaults(inner, member));
  }
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    if (inner.default !== undefined && !Object.hasOwn(filled, name))
      filled[name] = withDefaults(inner, structuredClone(inner.default));
  }
  return filled;
}

/** A field that is called `__proto__` stays a field. */
function setOwn(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

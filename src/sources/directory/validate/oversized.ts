import { type Cause, isRecord, memberSchema, type StructuralSchema } from './schema.ts';

/** A list or map with more entries is not looked into when its schema allows fewer. */
export const mostLookedInto = 1_000;

/** Every list and map that has far more entries than its schema allows: what else is wrong with each of them is not worth the time. */
export function* oversized(schema: StructuralSchema, value: unknown, path: Cause['path'] = []): Generator<Cause> {
  if (Array.isArray(value)) {
    const { items, maxItems } = schema;
    if (isTooMuch(value.length, maxItems)) yield tooMany(path, value.length, 'items', maxItems);
    else if (items) for (const [index, item] of value.entries()) yield* oversized(items, item, [...path, index]);
  } else if (isRecord(value)) {
    const entries = Object.entries(value);
    const { maxProperties } = schema;
    if (isTooMuch(entries.length, maxProperties)) yield tooMany(path, entries.length, 'entries', maxProperties);
    else for (const [name, member] of entries) yield* inMember(schema, name, member, path);
  }
}

function* inMember(schema: StructuralSchema, name: string, member: unknown, path: Cause['path']): Generator<Cause> {
  const inner = memberSchema(schema, name);
  if (inner && typeof member === 'object') yield* oversized(inner, member, [...path, name]);
}

const isTooMuch = (length: number, most: number | undefined): most is number =>
  most !== undefined && length > most && length > mostLookedInto;

const tooMany = (path: Cause['path'], length: number, what: string, most: number): Cause => ({
  path,
  message: `has ${length} ${what}, at most ${most} are allowed`,
});

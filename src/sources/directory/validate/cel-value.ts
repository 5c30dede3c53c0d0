import { type CelInput, celList, celMap } from '@bufbuild/cel';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { isRecord, memberSchema, type StructuralSchema } from './schema.ts';

/** CEL's own words, which cannot be field names in a rule: Kubernetes writes them between double underscores. */
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** The name of a field as rules write it (structural-schema escaping of the Kubernetes API documentation). */
function escapeField(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}

/** A JSON value as rules see it, by its schema: only that says whether 3 is an int, and whether a key is a field's name. */
export function celValue(schema: StructuralSchema, value: unknown): CelInput {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return celList(value.map((item) => celValue(schema.items ?? {}, item)));
  if (isRecord(value)) return celMap(new Map(fields(schema, value)));
  if (typeof value === 'number') return isInteger(schema, value) ? BigInt(value) : value;
  if (schema.type === 'string' && schema.format === 'date-time') return timestampFromDate(new Date(String(value)));
  return value as string | boolean;
}

function* fields(schema: StructuralSchema, value: Record<string, unknown>): Generator<[string, CelInput]> {
  for (const [name, member] of Object.entries(value)) {
    const named = schema.properties !== undefined && Object.hasOwn(schema.properties, name);
    yield [named ? escapeField(name) : name, celValue(memberSchema(schema, name) ?? {}, member)];
  }
}

const isInteger = (schema: StructuralSchema, value: number): boolean =>
  Number.isSafeInteger(value) && (schema.type === 'integer' || schema['x-kubernetes-int-or-string'] === true);

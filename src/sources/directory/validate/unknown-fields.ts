import { didYouMean } from '../../../std/index.ts';
import { type Cause, isRecord, memberSchema, type StructuralSchema } from './schema.ts';

/**
 * Every field that the schema does not have, one after the other. The API server drops such fields; in a file they are a typing error, so they
 * are reported.
 */
export function* unknownFields(schema: StructuralSchema, value: unknown, path: Cause['path'] = []): Generator<Cause> {
  if (Array.isArray(value)) yield* inItems(schema, value, path);
  else if (isRecord(value)) yield* inFields(schema, value, path);
}

function* inItems({ items }: StructuralSchema, value: readonly unknown[], path: Cause['path']): Generator<Cause> {
  if (items === undefined) return;
  for (const [index, item] of value.entries()) yield* unknownFields(items, item, [...path, index]);
}

function* inFields(schema: StructuralSchema, value: Record<string, unknown>, path: Cause['path']): Generator<Cause> {
  const open = isOpen(schema);
  for (const [name, member] of Object.entries(value)) {
    const inner = memberSchema(schema, name);
    if (inner !== undefined) yield* unknownFields(inner, member, [...path, name]);
    else if (!open)
      yield {
        path: [...path, name],
        message: `unknown field "${shortened(name)}"${didYouMean(name, fieldNames(schema))}`,
      };
  }
}

const shortened = (name: string): string => (name.length > 120 ? `${name.slice(0, 117)}...` : name);

/** An object of which nothing is said may hold anything, as in `metadata` of an embedded object. */
const isOpen = (schema: StructuralSchema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  schema.additionalProperties === true ||
  (schema.properties === undefined && schema.additionalProperties === undefined);

const fieldNames = (schema: StructuralSchema): readonly string[] => Object.keys(schema.properties ?? {});

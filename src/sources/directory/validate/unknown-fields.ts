import { didYouMean } from './nearest.ts';
import { type Cause, isRecord, memberSchema, type StructuralSchema } from './schema.ts';

/** Every field that the schema does not have. The API server drops such fields; in a file they are a typing error, so they are told. */
export function unknownFields(schema: StructuralSchema, value: unknown, path: Cause['path'] = []): Cause[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, index) => unknownFields(items, item, [...path, index]));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = memberSchema(schema, name);
    if (inner !== undefined) return unknownFields(inner, member, [...path, name]);
    return isOpen(schema)
      ? []
      : [{ path: [...path, name], message: `unknown field "${name}"${didYouMean(name, fieldNames(schema))}` }];
  });
}

/** An object of which nothing is said may hold anything, as in `metadata` of an embedded object. */
const isOpen = (schema: StructuralSchema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  schema.additionalProperties === true ||
  (schema.properties === undefined && schema.additionalProperties === undefined);

const fieldNames = (schema: StructuralSchema): readonly string[] => Object.keys(schema.properties ?? {});

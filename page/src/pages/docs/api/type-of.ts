import { nameOfRef, type Schema } from './reference.ts';

/** A type in a few words, cut at the names of schemas, which are links where they are shown. */
export type TypePart = string | { readonly schema: string };

export interface Shape {
  readonly name: string | undefined;
  readonly schema: Schema;
}

/** What a value of the schema is, such as `array of`, Route. Words are those of JSON Schema, in English. */
export function typeOf(schema: Schema): readonly TypePart[] {
  const name = nameOfRef(schema);
  if (name !== undefined) return [{ schema: name }];
  const { anyOf = schema.oneOf, enum: words, const: only, items, additionalProperties } = schema;
  if (anyOf !== undefined) return anyOf.flatMap((each, at) => (at === 0 ? typeOf(each) : [' or ', ...typeOf(each)]));
  if (only !== undefined) return [JSON.stringify(only)];
  if (words !== undefined) return [words.map((word) => JSON.stringify(word)).join(' | ')];
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const orNull = types.includes('null') ? ' or null' : '';
  const type = types.find((each) => each !== 'null');
  if (type === undefined) return [types.length > 0 ? 'null' : 'any'];
  if (type === 'array') return ['array of ', ...typeOf(items ?? {}), orNull].filter((part) => part !== '');
  if (type === 'object' && typeof additionalProperties === 'object' && schema.properties === undefined)
    return ['map of ', ...typeOf(additionalProperties), orNull].filter((part) => part !== '');
  return [`${type}${schema.format === undefined ? '' : ` (${schema.format})`}${orNull}`];
}

/** What a value is bound by, in the words of JSON Schema. */
export const boundsOf = ({
  default: usual,
  minimum,
  maximum,
  maxLength,
  pattern,
  format,
}: Schema): readonly string[] => [
  ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
  ...(minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? [] : [`minimum ${minimum}`]),
  ...(maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? [] : [`maximum ${maximum}`]),
  ...(maxLength === undefined ? [] : [`maxLength ${maxLength}`]),
  // Those that a format stands for are long.
  ...(pattern === undefined || format !== undefined ? [] : [`pattern ${pattern}`]),
];

/** Objects with fields that a value may be or have in it, with their names where they have one. Several: one of them. */
export function shapesOf(
  schema: Schema,
  find: (name: string) => Schema | undefined,
  called?: string,
): readonly Shape[] {
  const name = nameOfRef(schema);
  if (name !== undefined) return shapesOf(find(name) ?? {}, find, name);
  const { properties, items, additionalProperties, anyOf = schema.oneOf ?? [] } = schema;
  if (properties !== undefined && Object.keys(properties).length > 0) return [{ name: called, schema }];
  if (items !== undefined) return shapesOf(items, find);
  if (typeof additionalProperties === 'object') return shapesOf(additionalProperties, find);
  return anyOf.flatMap((each) => shapesOf(each, find));
}

import { type JsonSchema, nameOfRef } from './components.ts';
import { exampleFor } from './field-examples.ts';

type Find = (name: string) => JsonSchema | undefined;

/** A value that the schema allows, of values that fields of these names could have. Lists have one entry. */
export function exampleOf(schema: JsonSchema, find: Find, key = ''): unknown {
  const name = nameOfRef(schema);
  if (name !== undefined) return exampleOf(find(name) ?? {}, find, key);
  const { const: only, enum: words, default: usual, anyOf, properties, items } = schema;
  const type = typeOf(schema);
  if (only !== undefined) return only;
  if (words !== undefined) return words[0];
  if (usual !== undefined) return usual;
  if (anyOf !== undefined) return exampleOf(anyOf[0] ?? {}, find, key);
  if (type === 'array') return items === undefined ? [] : [exampleOf(items, find, singular(key))];
  if (type === 'object') return exampleObject(properties ?? {}, schema, find);
  return exampleLeaf(schema, key);
}

const exampleObject = (properties: Readonly<Record<string, JsonSchema>>, { required }: JsonSchema, find: Find) =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name === 'prompt' || (required as readonly string[] | undefined)?.includes(name))
      .map(([name, each]) => [name, exampleOf(each, find, name)]),
  );

function exampleLeaf(schema: JsonSchema, key: string): unknown {
  const { format, minimum, pattern } = schema;
  const type = typeOf(schema);
  const known = exampleFor(key);
  if (type === 'boolean') return typeof known === 'boolean' ? known : true;
  if (type === 'integer' || type === 'number')
    return typeof known === 'number' ? known : Math.max(1, Number(minimum ?? 0));
  if (format === 'date-time') return '2026-01-02T03:04:05.678Z';
  if (type !== 'string') return {};
  if (typeof known === 'string') return known;
  return typeof pattern === 'string' && pattern.includes('^\\/') ? '/' : 'text';
}

/** What may be null is shown as what it otherwise is. */
const typeOf = ({ type }: JsonSchema): string | undefined =>
  typeof type === 'string' || type === undefined ? type : type.find((each) => each !== 'null');

const singular = (key: string): string => key.replace(/s$/, '');

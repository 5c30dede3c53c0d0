import * as z from 'zod';
import { wordsOf } from './field-words.ts';

/** A JSON Schema of draft 2020-12, as far as it is looked at here. */
export interface JsonSchema {
  readonly [key: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

const place = '#/components/schemas/';
const ref = (name: string): JsonSchema => ({ $ref: `${place}${name}` });

/** The name that a reference is to; undefined for what is none. */
export const nameOfRef = ({ $ref }: JsonSchema): string | undefined =>
  $ref?.startsWith(place) ? $ref.slice(place.length) : undefined;

/**
 * The named schemas of a description. A schema with an `id` has that name; an object or a list of words inside another one is called after the
 * field that it is in, so that no type of a generated client has to be called by where it stands. What is equal is there once.
 */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();
  /** Names by content, of those that were named here. */
  readonly #byContent = new Map<string, string>();

  /** `input`: as clients write it; `output`: as it is answered. `name`: what an object without an id is called. */
  schemaOf(type: z.ZodType, name: string, io: 'input' | 'output' = 'output'): JsonSchema {
    // In a field, so that a schema with an id is referred to like all others.
    const whole = z.toJSONSchema(z.object({ root: type }), { target: 'draft-2020-12', io }) as JsonSchema;
    for (const [id, schema] of Object.entries(whole.$defs ?? {})) this.#define(id, schema);
    return this.#shared(whole.properties?.root ?? {}, name);
  }

  /** What a reference is to. */
  readonly find = (name: string): JsonSchema | undefined => this.#schemas.get(name);

  /** By name, sorted. */
  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Throws when another schema has the name: types of clients would depend on the order. */
  #define(id: string, { id: _, ...schema }: JsonSchema): void {
    const named = this.#withNamedParts(schema, id);
    const known = this.#schemas.get(id);
    if (known && JSON.stringify(known) !== JSON.stringify(named))
      throw new Error(`two schemas have the id ${id}, or one that differs between questions and answers`);
    this.#schemas.set(id, named);
  }

  /** A schema in a place: what deserves a name becomes a reference. */
  #shared(schema: JsonSchema, name: string): JsonSchema {
    if (schema.$ref !== undefined) return { ...schema, $ref: schema.$ref.replace('#/$defs/', place) };
    const { description, ...named } = this.#withNamedParts(schema, name);
    const orNull = nameOfNullable(named);
    if (orNull !== undefined)
      return { ...(description !== undefined && { description }), ...ref(this.#nameFor(named, orNull)) };
    if (!deservesName(named)) return { ...named, ...(description !== undefined && { description }) };
    return { ...(description !== undefined && { description }), ...ref(this.#nameFor(named, name)) };
  }

  #withNamedParts(schema: JsonSchema, name: string): JsonSchema {
    const { properties, items, additionalProperties, anyOf } = schema;
    return {
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([key, each]) => [
            key,
            withWords(this.#shared(each, `${name}${pascal(key)}`), key),
          ]),
        ),
      }),
      ...(items && { items: this.#shared(items, singular(name)) }),
      ...(typeof additionalProperties === 'object' && {
        additionalProperties: this.#shared(additionalProperties, singular(name)),
      }),
      ...(anyOf && { anyOf: anyOf.map((each) => this.#shared(each, name)) }),
    };
  }

  #nameFor(schema: JsonSchema, wanted: string): string {
    const content = JSON.stringify(schema);
    const known = this.#byContent.get(content);
    if (known !== undefined) return known;
    let name = wanted;
    for (let number = 2; this.#schemas.has(name); number += 1) name = `${wanted}${number}`;
    this.#byContent.set(content, name);
    this.#schemas.set(name, schema);
    return name;
  }
}

/** Of a leaf that may be null: generators make a type of each, so equal ones share one. */
function nameOfNullable({ type, enum: words, format }: JsonSchema): string | undefined {
  const [only, other] = typeof type === 'string' || type === undefined ? [] : type;
  if (other !== 'null' || words !== undefined || only === undefined || !['string', 'integer', 'number'].includes(only))
    return undefined;
  return `${format === 'date-time' ? 'Time' : pascal(only)}OrNull`;
}

const deservesName = ({ type, properties, enum: words }: JsonSchema): boolean =>
  (type === 'object' && properties !== undefined && Object.keys(properties).length > 0) ||
  (words !== undefined && words.length > 1);

const withWords = (schema: JsonSchema, key: string): JsonSchema => {
  const words = schema.description ?? wordsOf(key);
  return words === undefined ? schema : { ...schema, description: words };
};

const pascal = (text: string): string =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase());

const singular = (name: string): string => {
  if (/(ss|us|is)$/.test(name)) return name;
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  return name.replace(/(?<=ch|sh|ss|x)es$|s$/, '');
};

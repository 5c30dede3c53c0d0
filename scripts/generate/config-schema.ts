import { z } from 'zod';
import { configSchema, contractKeys } from '../../src/config/index.ts';

/** The part of JSON Schema that a configuration needs. */
export interface ConfigJsonSchema {
  readonly type?: string;
  /** What a value looks like, for people. */
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly items?: ConfigJsonSchema;
  readonly properties?: Readonly<Record<string, ConfigJsonSchema>>;
  readonly [keyword: string]: unknown;
}

/** The configuration as JSON Schema, in our spelling of the keys. Throws when a key does not say what it is for. */
export function plainConfigSchema(): ConfigJsonSchema {
  const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  checkDescriptions(schema as ConfigJsonSchema, []);
  return schema as ConfigJsonSchema;
}

function checkDescriptions({ properties = {} }: ConfigJsonSchema, path: readonly string[]): void {
  for (const [key, property] of Object.entries(properties)) {
    if (!property.description) throw new Error(`configuration key ${[...path, key].join('.')}: add .describe(…)`);
    checkDescriptions(property, [...path, key]);
  }
}

/** docs/config.schema.json: for editors and checks of files before they are rolled out. */
export function configSchemaFile(): string {
  const { $schema, ...schema } = asWritten(plainConfigSchema(), []);
  const head = { $schema, title: 'Configuration of Gatewright', ...schema };
  return `${JSON.stringify(head, undefined, 2)}\n`;
}

/** A variable of the environment stands for (a part of) any value. */
const variable = { type: 'string', pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*\\}' } as const;

/** The schema with what a file may hold besides: the contract's spelling of keys, and variables in place of values. */
function asWritten(schema: ConfigJsonSchema, path: readonly string[]): ConfigJsonSchema {
  if (schema.properties) {
    const entries = Object.entries(schema.properties).flatMap(([key, property]) => {
      const written = asWritten(property, [...path, key]);
      return [key, ...spellingsOf([...path, key])].map((name) => [name, written] as const);
    });
    const { default: _, ...section } = schema;
    return { ...section, properties: Object.fromEntries(entries) };
  }
  const { title, description, default: fallback, ...form } = schema;
  const isFree = form.type === 'string' && form.enum === undefined && form.pattern === undefined;
  const value = isFree || form.type === 'array' ? form : { anyOf: [form, variable] };
  return { ...(title && { title }), description, ...(fallback !== undefined && { default: fallback }), ...value };
}

/** Other spellings of the last part of a path. */
const spellingsOf = (path: readonly string[]): string[] =>
  Object.entries(contractKeys)
    .filter(([written, ours]) => {
      const parents = written.split('.').slice(0, -1);
      return [...parents, ours].join('.') === path.join('.');
    })
    .map(([written]) => written.slice(written.lastIndexOf('.') + 1));

import type { Schema } from '../generate/definitions.ts';
import { type Definition, readDefinitions } from '../generate/definitions.ts';

/** A page of the reference: its path on the site, its title and its Markdown. */
export interface ReferencePage {
  readonly path: string;
  readonly title: string;
  readonly markdown: string;
}

/** One page for each kind of a folder of definitions: every field with its type, default, limits and description. */
export const kindPages = (crdDir: string): readonly ReferencePage[] =>
  readDefinitions(crdDir)
    .toSorted((one, other) => one.kind.localeCompare(other.kind))
    .map((definition) => ({
      path: `reference/${definition.kind.toLowerCase()}.md`,
      title: definition.kind,
      markdown: pageOf(definition),
    }));

function pageOf({ kind, group, version, namespaced, shortNames, schema }: Definition): string {
  const { spec, status } = schema.properties ?? {};
  return [
    `# ${kind}`,
    inProse(schema.description),
    [
      `\`apiVersion: ${group}/${version}\``,
      namespaced ? 'of a namespace' : 'of the cluster',
      ...(shortNames.length > 0 ? [`short names: ${shortNames.map((name) => `\`${name}\``).join(', ')}`] : []),
    ].join(' · '),
    ...(spec === undefined ? [] : partsOf('spec', spec)),
    ...(status === undefined ? [] : ['## status', tableOf(rowsOf(status, ''))]),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** A section for each field of the spec that has fields of its own; the others are in one table before. */
function partsOf(name: string, schema: Schema): string[] {
  const fields = Object.entries(schema.properties ?? {});
  const required = new Set(schema.required);
  const overview = fields.map(([field, value]) => rowOf(field, value, required.has(field)));
  const deep = fields.filter(([, value]) => fieldsOf(value) !== undefined);
  return [
    `## ${name}`,
    inProse(schema.description),
    ...rulesOf(schema),
    tableOf(overview),
    ...deep.flatMap(([field, value]) => [
      `### ${name}.${field}`,
      inProse(value.description),
      ...rulesOf(value),
      tableOf(rowsOf(value, '')),
    ]),
  ];
}

/** The object that a value is, or that each item or entry of it is. */
function fieldsOf(schema: Schema): Schema | undefined {
  if (schema.properties !== undefined) return schema;
  const inner =
    schema.items ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined);
  return inner === undefined ? undefined : fieldsOf(inner);
}

/** All fields below a value, with their paths. */
function rowsOf(schema: Schema, prefix: string): string[] {
  const object = fieldsOf(schema);
  const required = new Set(object?.required);
  return Object.entries(object?.properties ?? {}).flatMap(([field, value]) => [
    rowOf(`${prefix}${field}`, value, required.has(field)),
    ...rowsOf(value, `${prefix}${field}${suffixOf(value)}.`),
  ]);
}

const suffixOf = (schema: Schema): string =>
  schema.items !== undefined ? '[]' : typeof schema.additionalProperties === 'object' ? '.*' : '';

const rowOf = (path: string, schema: Schema, isRequired: boolean): string =>
  `| \`${path}\`${isRequired ? ' **required**' : ''} | ${inCell(typeOf(schema))} | ${inCell(
    [schema.description, ...limitsOf(schema), ...rulesOf(schema)].filter(Boolean).join('<br>'),
  )} |`;

const tableOf = (rows: readonly string[]): string =>
  ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n');

/** `[]string`, `map of integer`, `object`, `integer or string`. */
function typeOf(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'integer or string';
  if (schema.items !== undefined) return `[]${typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties)}`;
  return String(schema.type ?? 'any');
}

/** What may be written: values, default, bounds, pattern. */
function limitsOf(schema: Schema): string[] {
  const { enum: values, default: preset, pattern, minimum, maximum } = schema;
  const bounds = (least: unknown, most: unknown, unit: string) =>
    least === undefined && most === undefined
      ? []
      : [
          `${least === undefined ? 'at most' : most === undefined ? 'at least' : 'from'} ${[least, most].filter((bound) => bound !== undefined).join(' to ')}${unit}`,
        ];
  return [
    ...(preset === undefined ? [] : [`default: \`${JSON.stringify(preset)}\``]),
    ...(Array.isArray(values) ? [`one of: ${values.map((value) => `\`${value}\``).join(', ')}`] : []),
    ...bounds(minimum, maximum, ''),
    ...bounds(schema.minItems, schema.maxItems, ' items'),
    ...bounds(schema.minLength, schema.maxLength, ' characters'),
    ...(typeof pattern === 'string' ? [`pattern: \`${pattern}\``] : []),
  ];
}

interface Rule {
  readonly rule: string;
  readonly message?: string;
}

/** What the API server checks besides, in words. */
function rulesOf(schema: Schema): string[] {
  const rules = (schema['x-kubernetes-validations'] ?? []) as readonly Rule[];
  return rules.map(({ rule, message }) => `rule: ${message === undefined ? `\`${rule}\`` : escaped(message)}`);
}

const inProse = (text: unknown): string => (typeof text === 'string' ? escaped(text) : '');

/** Words of definitions are text: an angle bracket or a brace in them is no markup. Code stays as it is. */
const escaped = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('');

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');

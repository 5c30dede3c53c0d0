import { type ConfigJsonSchema, plainConfigSchema } from './config-schema.ts';

const introduction = `# Configuration

<!-- Made by \`npm run generate\` from src/config/schema. -->

\`gatewright control-plane --config FILE\`, \`data-plane --config FILE\` and \`run --config FILE\` read one YAML file. Every key has a
default, so the file is optional. It is read at the start: restart after a change, except of \`log.level\`, which applies at once.

- \`\${NAME}\` in a value is replaced by an environment variable, which must not be empty.
- Paths are relative to the file.
- An address without a host, such as \`:18081\`, means every address of the machine. In \`gatewright run\` it means 127.0.0.1: a port is
  open to the network only if its host is written, as \`0.0.0.0:18081\`, \`[::]:18081\` or one address.
- An unknown key, a wrong type or a missing token file is an error at the start, with exit code 1. One line names the file, the line, the
  key and the remedy.
- The admin API contract's spelling of its keys works too: \`admin_auth\` with \`bearer_token\` and \`bearer_token_file\`, and
  \`dataplane.config.node_id\`.

\`\`\`sh
gatewright config check --config gateway.yaml   # reports errors; starts nothing
\`\`\`

[config.schema.json](config.schema.json) is the JSON Schema. Editors with yaml-language-server complete keys with
\`# yaml-language-server: $schema=PATH/config.schema.json\` in the first line.
`;

/** docs/configuration.md: every key, from the schema that reads them. */
export function configPage(): string {
  const { properties = {} } = plainConfigSchema();
  const sections = Object.entries(properties).filter(([, { properties: inner }]) => inner);
  const single = Object.entries(properties).filter(([, { properties: inner }]) => !inner);
  return [
    introduction,
    ...table(single.map(([key, schema]) => row(key, schema))),
    ...sections.flatMap(([key, schema]) => [`\n## ${key}\n`, `${schema.description}\n`, ...table(rowsOf(schema, key))]),
    '',
  ].join('\n');
}

const table = (rows: readonly string[]): string[] => [
  '| key | value | default | meaning |',
  '|---|---|---|---|',
  ...rows,
];

function rowsOf({ properties = {} }: ConfigJsonSchema, path: string): string[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const inner = rowsOf(schema, `${path}.${key}`);
    return inner.length > 0 ? inner : [row(`${path}.${key}`, schema)];
  });
}

const row = (key: string, schema: ConfigJsonSchema): string =>
  `| \`${key}\` | ${formOf(schema)} | ${defaultOf(schema)} | ${schema.description} |`;

function formOf({ title, type, enum: words, items }: ConfigJsonSchema): string {
  if (words) return words.map((word) => `\`${word}\``).join(', ');
  if (items?.enum) return `list of ${items.enum.map((word) => `\`${word}\``).join(', ')}`;
  return title ?? (type === 'string' ? 'text' : (type ?? ''));
}

const defaultOf = ({ default: value }: ConfigJsonSchema): string =>
  value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

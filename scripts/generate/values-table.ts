import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';
import { root } from '../paths.mjs';

const head = `# Chart gatewright

<!-- Made by \`npm run generate\` from values.yaml. -->

The control plane of Gatewright: [installing it](../../docs/install.md#helm). The chart \`gatewright-crds\` has the definitions, and goes first.
\`values.schema.json\` rejects keys and types that are not in this table.

| value | default | what it is |
|---|---|---|
`;

/** README of the chart: each value with its default, and what the comment before it says. */
export function valuesTable(): string {
  const document = parseDocument(readFileSync(join(root, 'charts/gatewright/values.yaml'), 'utf8'));
  const rows = rowsOf(document.contents as unknown as YAMLMap, '');
  return `${head}${rows.join('\n')}\n`;
}

type Entry = Pair<{ readonly value: string; readonly commentBefore?: string }, unknown>;

/** A map with comments of its own inside is taken apart; any other value is one row. */
function rowsOf(map: YAMLMap, prefix: string): string[] {
  return (map.items as unknown as Entry[]).flatMap(({ key, value }, at) => {
    const path = `${prefix}${key.value}`;
    // The comment before the first key of a map belongs to the map, for the parser.
    const comment = key.commentBefore ?? (at === 0 && prefix !== '' ? (map.commentBefore ?? '') : '');
    const row = (shown: string) => `| \`${path}\` | ${shown} | ${wordsOf(comment)} |`;
    if (!isMap(value) || value.items.length === 0 || value.flow) return [row(shownOf(value))];
    const inner = rowsOf(value, `${path}.`);
    return wordsOf(comment) === '' ? inner : [row(''), ...inner];
  });
}

/** A comment that an empty line follows is about more than the value. */
const wordsOf = (whole: string): string => {
  const comment = whole.split(/\n\s*\n/).at(-1) ?? '';
  return comment
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');
};

function shownOf(value: unknown): string {
  if (isScalar(value)) return value.value === '' ? '' : `\`${value.value}\``;
  const text = stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return `\`${text.replaceAll('|', '\\|')}\``;
}

import test from 'ava';
import { readDefinitions, type Schema } from '../../../../scripts/generate/definitions.ts';
import { ownCrdDir } from '../../../../scripts/paths.mjs';
import { commandPage } from '../../../../scripts/site/command-reference.ts';
import { kindPages } from '../../../../scripts/site/kind-reference.ts';

const pages = new Map(kindPages(ownCrdDir).map(({ title, markdown }) => [title, markdown]));

/** Names of all fields at any depth. */
function fieldsOf(schema: Schema): readonly string[] {
  const inner = [schema.items, schema.additionalProperties].filter((each) => typeof each === 'object');
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, value]) => [name, ...fieldsOf(value)]),
    ...inner.flatMap(fieldsOf),
  ];
}

test('the page of a kind has every field of its definition', (t) => {
  const definitions = readDefinitions(ownCrdDir);
  t.is(pages.size, definitions.length);
  for (const { kind, schema } of definitions) {
    const text = pages.get(kind) ?? '';
    for (const part of ['spec', 'status']) {
      const missing = fieldsOf(schema.properties?.[part] ?? {}).filter(
        (name) => !new RegExp(`[\`.]${name}\``).test(text),
      );
      t.deepEqual(missing, [], `${kind}.${part}`);
    }
  }
});

test('a field has its type, default, bounds and rules', (t) => {
  const page = pages.get('BackendPolicy') ?? '';
  const row = page.split('\n').find((line) => line.startsWith('| `active.interval`')) ?? '';
  t.regex(row, /\| string \| Time between two probes/);
  t.regex(row, /default: `"5s"`/);
  t.regex(row, /rule: must be at least 100ms/);
  t.regex(page, /^\| `targetRefs` \*\*required\*\* \| \[\]object \|.*from 1 to 16 items/m);
});

test('the page of commands has each command, and what may stand for its options', (t) => {
  const { markdown } = commandPage('1.2.3');
  t.regex(markdown, /^## migrate convert$/m);
  t.regex(markdown, /^## config check$/m);
  t.notRegex(markdown, /^## _/m);
  t.regex(markdown, /^\| `--to <form>` .*one of: /m);
});

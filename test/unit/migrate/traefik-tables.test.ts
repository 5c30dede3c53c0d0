import test from 'ava';
import { readDefinitions, type Schema } from '../../../scripts/generate/definitions.ts';
import { ownCrdDir } from '../../../scripts/paths.mjs';
import { type Table, traefikTables } from '../../../src/migrate/index.ts';
import { readFields, unknownTo } from './fields.ts';

const fields = readFields('traefik-fields.txt');

for (const [below, table] of Object.entries(traefikTables))
  test(`every field of ${below} of Traefik 3 has a rule`, (t) => {
    t.true(fields.some(([path]) => path.startsWith(`${below}.`)));
    t.deepEqual(unknownTo(table, below, fields), []);
  });

/** All fields of ours that tables write to. */
function* writtenBy(table: Table): Generator<string> {
  for (const rule of Object.values(table)) {
    if ('in' in rule) yield* writtenBy(rule.in);
    if ('to' in rule) yield rule.to;
  }
}

const schemas = new Map(readDefinitions(ownCrdDir).map(({ kind, schema }) => [kind, schema]));

test('every field that a table of Traefik writes is one of ours', (t) => {
  const paths = Object.values(traefikTables)
    .flatMap((table) => [...writtenBy(table)])
    .filter((path) => !/^(?:ForwardAuth|Tls)\./.test(path));
  t.true(paths.length > 30);
  t.deepEqual(
    paths.filter((path) => {
      const [kind = '', ...members] = path.split('.');
      const spec = schemas.get(kind)?.properties?.spec;
      return members.reduce<Schema | undefined>((at, name) => at?.properties?.[name], spec) === undefined;
    }),
    [],
  );
});

import { readFileSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const definition = parse(read('crds/gatewright.dev_dataplanes.yaml')) as {
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
};
const spec = definition.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec?.properties ?? {};

test('the table of fields has every field of the definition, in its order', (t) => {
  const [, rest = ''] = read('docs/data-plane-resource.md').split('\n## Fields\n');
  const [table = ''] = rest.split('\n## ');
  const documented = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  t.deepEqual(documented, Object.keys(spec));
});

test('every field says what it is', (t) => {
  t.deepEqual(
    Object.entries(spec).flatMap(([name, { description }]) => (description ? [] : [name])),
    [],
  );
});

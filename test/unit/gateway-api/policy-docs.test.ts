import { readFileSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function specOf(plural: string): Schema {
  const definition = parse(read(`crds/gatewright.dev_${plural}.yaml`)) as {
    readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
  };
  return definition.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec ?? {};
}

const policies = { BackendPolicy: 'backendpolicies', ListenerPolicy: 'listenerpolicies' } as const;

for (const [kind, plural] of Object.entries(policies)) {
  test(`the table of fields of ${kind} has every field of the definition, in its order`, (t) => {
    const [, rest = ''] = read('docs/policies.md').split(`\n## ${kind}\n`);
    const [section = ''] = rest.split('\n### ');
    const rows = [...section.matchAll(/^\| `(\w+)[.\w]*`/gm)].map(([, name]) => name);
    const fields = Object.keys(specOf(plural).properties ?? {}).filter((name) => name !== 'targetRefs');
    t.deepEqual([...new Set(rows)], fields);
  });

  test(`every field of ${kind} says what it is`, (t) => {
    t.deepEqual(silent(specOf(plural), 'spec'), []);
  });
}

const silent = ({ properties = {}, items }: Schema, path: string): string[] =>
  Object.entries({ ...properties, ...items?.properties }).flatMap(([name, field]) => [
    ...(field.description ? [] : [`${path}.${name}`]),
    ...silent(field, `${path}.${name}`),
  ]);

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { root } from '../../../scripts/paths.mjs';
import { schemaOf } from '../../support/definition-fields.ts';

/** Examples run in tests and answer as they say, so a filter that has one is shown as it works. */

/** Fields of routes, and what says where and how the rest holds. */
const noFilters = new Set(
  'targetRefs mode disabled onFailure retry timeouts hash tracing accessLog upgrades'.split(' '),
);

const kinds = ['ExtensionPolicy', 'HTTPFilter', 'TrafficPolicy'];

const filtersOf = (kind: string): readonly string[] =>
  Object.keys(schemaOf(`${kind}.spec`)?.properties ?? {})
    .filter((name) => !noFilters.has(name))
    .map((name) => `${kind}.${name}`);

interface Written {
  readonly kind?: string;
  readonly spec?: object;
}

test('each filter of requests is in an example that is run', (t) => {
  const shown = new Set(
    globSync('examples/*/*.yaml', { cwd: root })
      .flatMap((file) => parseAllDocuments(readFileSync(join(root, file), 'utf8')))
      .map((document) => document.toJS() as Written | null)
      .flatMap((object) => Object.keys(object?.spec ?? {}).map((name) => `${object?.kind}.${name}`)),
  );
  const filters = kinds.flatMap(filtersOf);
  t.true(filters.length >= 20);
  t.deepEqual(
    filters.filter((filter) => !shown.has(filter)),
    [],
  );
});

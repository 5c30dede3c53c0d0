import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { type PolicyGroup, readPolicySections } from '../../../scripts/generate/policy-groups-page.ts';
import { root } from '../../../scripts/paths.mjs';
import { fieldsFrom, nameOf } from '../../support/definition-fields.ts';

/** What docs/policy-groups.md promises: tests of a row set each of its fields, and all that is below it. */

/** Fields of Kubernetes' own kinds, which are passed on as they are. */
const passedOn = ['DataPlane.spec.podPatch', 'DataPlane.spec.affinity'];

/** Members of references, which all kinds of references share. */
const ofReferences = new Set(['group', 'kind', 'namespace', 'name', 'key', 'sectionName']);

const fieldsOf = ({ ours = [] }: PolicyGroup): readonly string[] =>
  ours.flatMap((path) => (passedOn.includes(path) ? [path] : fieldsFrom(path)));

/** The text of a test, with the files of test/support that it imports itself. */
function textOf(name: string): string {
  const file = join(root, `test/${name}.test.ts`);
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/ from '(\.\.?\/[^']*support\/[^']*\.ts)'/g)].map(([, path = '']) => path);
  return [text, ...imported.map((path) => readFileSync(join(dirname(file), path), 'utf8'))].join('\n');
}

/** Whether an object of the text has the field: `field: …`, `'field': …`, `{ field }`. */
const hasField = (text: string, field: string): boolean =>
  new RegExp(`(?<![\\w.])${field}(?:['"]?:|(?=\\s*[,}]))`).test(text);

/** The fields of a row that none of its tests sets. */
function unsetFields(row: PolicyGroup): readonly string[] {
  const text = (row.tests ?? []).map(textOf).join('\n');
  return fieldsOf(row)
    .filter((path) => !ofReferences.has(nameOf(path)) && !hasField(text, nameOf(path)))
    .map((path) => `${row.group}: no test sets ${path}`);
}

test('each field of a row is set by a test of that row', (t) => {
  const rows = readPolicySections().flatMap((section) => section.rows);
  t.deepEqual(rows.flatMap(unsetFields), []);
});

test('a field that no test of the row sets is found', (t) => {
  const row = { group: 'x', eg: ['x'], others: '', tests: ['envoy/jwks'] };
  t.deepEqual(unsetFields({ ...row, ours: ['BackendPolicy.spec.loadBalancer.slowStart'] }), [
    'x: no test sets BackendPolicy.spec.loadBalancer.slowStart',
    'x: no test sets BackendPolicy.spec.loadBalancer.slowStart.window',
    'x: no test sets BackendPolicy.spec.loadBalancer.slowStart.minWeightPercent',
  ]);
  t.deepEqual(
    unsetFields({ ...row, tests: ['envoy/backend-policy'], ours: ['BackendPolicy.spec.timeouts.connect'] }),
    [],
  );
});

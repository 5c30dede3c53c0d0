import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { groupFile, groupFiles, ownProcess } from '../../../scripts/test-groups.ts';

const small = Array.from({ length: 10 }, (_, index) => `test/unit/a/${index}.test.ts`);
const needs = Object.keys(ownProcess);
const elsewhere = ['test/envoy/a.test.ts', 'test/unit/long.test.ts'];

test('small files share processes; what is long, needs its own or is no unit test does not', (t) => {
  const { groups, alone } = groupFiles([...small, ...needs, ...elsewhere], (file) => file.includes('long'));
  t.deepEqual(alone, [...needs, ...elsewhere]);
  t.deepEqual(groups.flat(), small);
  t.deepEqual(
    groups.map(({ length }) => length),
    [3, 3, 3, 1],
  );
});

test('few files make few groups, and each group has its file', (t) => {
  t.deepEqual(groupFiles(small.slice(0, 2), () => false).groups, [[small[0]], [small[1]]]);
  const { groups } = groupFiles(small, () => false);
  for (const index of groups.keys()) t.true(existsSync(join(root, groupFile(index + 1))));
});

test('every file that needs its own process is there', (t) => {
  for (const file of needs) t.true(existsSync(join(root, file)), file);
});

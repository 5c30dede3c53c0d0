import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { groupFile, groupFiles, ownProcess, processTimes } from '../../../scripts/test-groups.ts';

const small = Array.from({ length: 10 }, (_, index) => `test/unit/a/${index}.test.ts`);
const needs = Object.keys(ownProcess);
const long = { 'test/envoy/long.test.ts': 101 };

test('small files share processes; what is long or needs its own does not', (t) => {
  const { groups, alone } = groupFiles([...small, ...needs, ...Object.keys(long)], long);
  t.deepEqual(alone, [...needs, ...Object.keys(long)]);
  t.deepEqual(groups.flat(), small);
  t.deepEqual(
    groups.map(({ length }) => length),
    [5, 5],
  );
});

test('a process has the files of one folder', (t) => {
  const { groups } = groupFiles(['test/unit/a.test.ts', 'test/kube/a.test.ts'], {});
  t.deepEqual(groups, [['test/unit/a.test.ts'], ['test/kube/a.test.ts']]);
});

test('neighbours share a process by the time that they take', (t) => {
  const [first = '', ...others] = small;
  const { groups } = groupFiles([first, ...others], { [first]: 4 });
  t.deepEqual(groups[0], [first]);
});

test('a process takes as long as its files', (t) => {
  const times = { 'test/unit/a.test.ts': 4, 'test/unit/b.test.ts': 3, 'test/kube/c.test.ts': 5 };
  const of = processTimes([['test/unit/a.test.ts', 'test/unit/b.test.ts'], ['test/kube/c.test.ts']], times);
  t.deepEqual(of, { ...times, [groupFile(1)]: 7, [groupFile(2)]: 5 });
});

test('each group has its file, also when all folders have as many as they can', (t) => {
  const folders = ['unit', 'golden', 'feature', 'envoy', 'kube', 'page', 'attack'];
  const files = folders.flatMap((folder) =>
    Array.from({ length: 100 }, (_, index) => `test/${folder}/${index}.test.ts`),
  );
  const { groups } = groupFiles(files, {});
  t.deepEqual(groups.flat(), files);
  for (const index of groups.keys()) t.true(existsSync(join(root, groupFile(index + 1))));
  t.false(existsSync(join(root, groupFile(groups.length + 1))));
});

test('every file that needs its own process is there', (t) => {
  for (const file of needs) t.true(existsSync(join(root, file)), file);
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { heavyTests, partialTests, repetitionsVariable } from '../../../scripts/heavy-tests.ts';
import { root } from '../../../scripts/paths.mjs';

test('every heavy file is there', (t) => {
  for (const file of Object.keys(heavyTests)) t.true(existsSync(join(root, file)), file);
});

test('a file of which npm test runs a part is among those of which test:heavy does all', (t) => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file));
  const asking = files.filter((file) => /from '.*\/repetitions\.ts'/.test(readFileSync(join(root, file), 'utf8')));
  t.deepEqual(asking.sort(), Object.keys(partialTests).sort());
  for (const file of asking) t.false(Object.hasOwn(heavyTests, file), file);
});

/** As a process has it that was started with this value of the variable. */
async function repetitionsOf(value: 'few' | undefined): Promise<typeof import('../../support/repetitions.ts')> {
  const before = process.env[repetitionsVariable];
  if (value === undefined) delete process.env[repetitionsVariable];
  else process.env[repetitionsVariable] = value;
  const url = new URL('../../support/repetitions.ts', import.meta.url);
  url.search = `of-${value}`;
  try {
    return (await import(url.href)) as typeof import('../../support/repetitions.ts');
  } finally {
    if (before === undefined) delete process.env[repetitionsVariable];
    else process.env[repetitionsVariable] = before;
  }
}

test('npm test leaves out thorough tests and entries of tables, and nothing else does', async (t) => {
  const [few, all] = [await repetitionsOf('few'), await repetitionsOf(undefined)];
  const declared: string[] = [];
  const declare = Object.assign((title: string) => declared.push(title), {
    serial: (title: string) => declared.push(`${title}, serial`),
  });
  for (const { thorough } of [few, all]) {
    thorough(declare)('one');
    thorough(declare).serial('two');
    thorough(declare.serial)('three');
  }
  t.deepEqual(declared, ['one', 'two, serial', 'three, serial']);
  t.deepEqual([few.every(2, ['a', 'b', 'c']), few.repetitions({ few: 1, all: 2 })], [['a', 'c'], 1]);
  t.deepEqual([all.every(2, ['a', 'b', 'c']), all.repetitions({ few: 1, all: 2 })], [['a', 'b', 'c'], 2]);
});

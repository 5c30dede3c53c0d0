import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { importsOf } from '../../../scripts/check-imports.ts';
import { root } from '../../../scripts/paths.mjs';
import { listings } from '../../../src/admin/columns/index.ts';

/** All files that a program loads with this one. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { target, typeOnly } of importsOf(file, sourceOf(file))) if (!typeOnly) loadedWith(target, seen);
  return seen;
}

const sourceOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const loaded = [...loadedWith('src/admin/columns/index.ts')];

test('who loads the columns of lists loads nothing else of the admin API', (t) => {
  const others = loaded.filter((file) => file.startsWith('src/admin/') && !file.includes('columns'));
  t.deepEqual(others, []);
});

test('who loads the columns of lists loads no package', (t) => {
  const packages = loaded.flatMap((file) =>
    [...sourceOf(file).matchAll(/^(?:import|export) (?!type )[^;]*?\bfrom '([^.'][^']*)'/gm)].map(([, name]) => name),
  );
  t.deepEqual(
    packages.filter((name) => !name?.startsWith('node:')),
    [],
  );
});

test('every list of columns is one of the admin API’s, by a path of its own', (t) => {
  const described = sourceOf('docs/openapi.yaml');
  const paths = Object.values(listings).map(({ path }) => path);
  for (const path of paths) t.true(described.includes(`\n  ${path}:\n`), path);
  t.is(new Set(paths).size, paths.length);
});

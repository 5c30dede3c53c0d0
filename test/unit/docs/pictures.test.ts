import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { shots } from '../../../scripts/pictures/shots.ts';

const folder = join(root, 'docs/pictures');
const mostBytes = 60 * 1024;
const mostInAll = 1024 * 1024;

const pictures = readdirSync(folder).filter((name) => name.endsWith('.webp'));
const documents = [
  join(root, 'README.md'),
  join(folder, 'README.md'),
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, 'docs', name)),
];

/** Files of pictures that a document names, as links, images or sources. */
const namedIn = (document: string): readonly string[] =>
  [...readFileSync(document, 'utf8').matchAll(/(?:\]\(|src(?:set)?=")([^")\s]+\.(?:webp|png|svg|gif|jpe?g))/g)].map(
    ([, path = '']) => join(dirname(document), path),
  );

test('every picture that a document names exists, and the gallery has all that exist', (t) => {
  for (const document of documents)
    for (const file of namedIn(document))
      t.notThrows(() => statSync(file), `${relative(root, document)} names ${relative(root, file)}`);
  t.deepEqual(
    [...new Set(namedIn(join(folder, 'README.md')))].sort(),
    pictures.map((name) => join(folder, name)).sort(),
  );
});

test('pictures are those that the script takes, and each page of the app has one', (t) => {
  const taken = shots.flatMap(({ name, themes = ['light'] }) =>
    themes.map((theme) => `${name}${theme === 'dark' ? '-dark' : ''}.webp`),
  );
  t.deepEqual([...pictures].sort(), taken.sort());
  const paths = [...readFileSync(join(root, 'page/src/app/pages.ts'), 'utf8').matchAll(/\bpath: '(\w*)'/g)];
  t.true(paths.length > 10, 'the list of pages is read as it is');
  for (const [, path = ''] of paths) {
    const name = path === '' ? 'overview' : path;
    t.true(
      shots.some((shot) => shot.name === name),
      `page ${name} has no picture: add it to scripts/pictures/shots.ts, and run npm run pictures -- ${name}`,
    );
  }
});

test('pictures are small', (t) => {
  const sizes = pictures.map((name) => [name, statSync(join(folder, name)).size] as const);
  for (const [name, size] of sizes) t.true(size <= mostBytes, `${name}: ${size} bytes, of at most ${mostBytes}`);
  const all = sizes.reduce((sum, [, size]) => sum + size, 0);
  t.log(`${all} bytes in all`);
  t.true(all <= mostInAll, `${all} bytes in all, of at most ${mostInAll}`);
});

import { globSync } from 'node:fs';
import test from 'ava';
import { root } from '../../../../scripts/paths.mjs';
import { sections } from '../../../../scripts/site/navigation.ts';
import { sitePathOf } from '../../../../scripts/site/site-path.ts';

const listed = sections.flatMap(({ pages }) => pages);

test('each page of docs is in the navigation once, and no two pages have one path', (t) => {
  const pages = globSync('docs/*.md', { cwd: root }).sort();
  t.deepEqual(listed.filter((page) => page.startsWith('docs/')).sort(), pages);
  const paths = listed.map(sitePathOf);
  t.is(new Set(paths).size, paths.length);
});

import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import test from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { anchorOf } from '../../../src/addons/chatbot/handbook/sections.ts';

const pages = [
  ...globSync('*.md', { cwd: root }),
  ...globSync('{docs,charts,examples,manifests,overlays,crds,bench,test,.github}/**/*.md', { cwd: root }),
].filter((page) => !page.includes('node_modules'));

/** Without code, whose brackets are no links. */
const proseOf = (page: string): string =>
  readFileSync(join(root, page), 'utf8')
    .replace(/^```[\s\S]*?^```\s*$/gm, '')
    .replace(/`[^`\n]*`/g, 'code');

function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const text = readFileSync(join(root, page), 'utf8').replace(/^```[\s\S]*?^```\s*$/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = anchorOf(heading);
    let number = 0;
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1;
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`);
  }
  for (const [, id = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** Why a link of a page leads nowhere; undefined: it leads somewhere, or out of the repository. */
function faultOf(page: string, link: string): string | undefined {
  if (/^[a-z]+:/i.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  if (!existsSync(join(root, target))) return 'there is no such file';
  if (anchor === undefined || !target.endsWith('.md') || statSync(join(root, target)).isDirectory()) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : 'the page has no such heading';
}

test('each link between pages of Markdown leads to a file, and to a heading of it', (t) => {
  t.true(pages.length > 40);
  const faults = pages.flatMap((page) => {
    const prose = proseOf(page);
    const links = [
      ...[...prose.matchAll(/\]\((?<link>[^)\s]+)\)/g)].map(([, link = '']) => link),
      ...[...prose.matchAll(/(?:src|srcset|href)="(?<link>[^"]+)"/g)].map(([, link = '']) => link),
    ];
    return links.flatMap((link) => {
      const fault = faultOf(page, link);
      return fault === undefined ? [] : [`${page}: ${link}: ${fault}`];
    });
  });
  t.deepEqual(faults, []);
});

const ours = /`((?:src|test|scripts|bench|charts|examples|rbac|crds|manifests|page)\/[\w./-]+)`/g;
/** A name that stands for others: `examples/NAME`. */
const isExample = (path: string): boolean => /[A-Z]{4}/.test(path.replace(/README/g, ''));

test('each file of the repository that a page names is there', (t) => {
  const named = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(ours)].map(([, path = '']) => ({ page, path })),
  );
  t.true(named.length > 100);
  const missing = named.filter(({ path }) => !isExample(path) && !existsSync(join(root, path)));
  t.deepEqual(missing, []);
});

import test from 'ava';
import { siteMarkdown } from '../../../../scripts/site/site-markdown.ts';
import { sitePathOf } from '../../../../scripts/site/site-path.ts';

const pages = new Map([
  ['docs/tls.md', 'tls.md'],
  ['docs/adr/0009-rejections.md', 'adr/0009-rejections.md'],
  ['SECURITY.md', 'project/security.md'],
]);
const changed = (text: string, page = 'docs/start.md') => siteMarkdown(text, page, (path) => pages.get(path));

test('links lead to pages of the site, with their anchors', (t) => {
  t.is(changed('See [TLS](tls.md#backends).'), 'See [TLS](/tls.md#backends).');
  t.is(changed('[`ADR` 9](adr/0009-rejections.md)'), '[`ADR` 9](/adr/0009-rejections.md)');
  t.is(changed('[a](../SECURITY.md) and [b](tls.md)'), '[a](/project/security.md) and [b](/tls.md)');
  t.is(changed('[ADR](0009-rejections.md)', 'docs/adr/0001-x.md'), '[ADR](/adr/0009-rejections.md)');
});

test('of a link to a file that is no page, the text is left', (t) => {
  t.is(changed('[a test](../test/x.test.ts "its title") of it'), 'a test of it');
});

test('links to elsewhere and to the page itself stay, and so does code', (t) => {
  for (const line of ['[x](https://example.com/a.md)', '[x](#part)', '<http://127.0.0.1:18081/>'])
    t.is(changed(line), line);
  const code = '```md\n[x](tls.md)\n```';
  t.is(changed(code), code);
});

test('pictures come from the folder of the site', (t) => {
  t.is(changed('![map](pictures/map.webp)'), '![map](/pictures/map.webp)');
  t.is(changed('<img src="pictures/map.webp" alt="x">'), '<img src="/pictures/map.webp" alt="x">');
  t.is(changed('<img src="docs/pictures/map.webp">', 'README.md'), '<img src="/pictures/map.webp">');
});

test('each page has a path of its own', (t) => {
  t.is(sitePathOf('docs/tls.md'), 'tls.md');
  t.is(sitePathOf('charts/README.md'), 'project/charts.md');
  t.is(sitePathOf('test/attack/README.md'), 'project/test-attack.md');
  t.is(sitePathOf('CODE_OF_CONDUCT.md'), 'project/code-of-conduct.md');
});

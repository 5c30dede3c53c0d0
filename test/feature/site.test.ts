import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { closeServer, portOf } from '../../scripts/example/echo-server.ts';
import { makeSite } from '../../scripts/site.ts';
import { openBrowser } from '../support/browser.ts';
import { endings } from '../support/endings.ts';

// The site is built, put below a path of a server that knows nothing but files, and read in a browser.

const test = anyTest as TestFn<{ out: string; origin: string }>;
const all = endings(test);
const base = '/manual/';
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

function serve(out: string): http.Server {
  return http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const path = pathname.startsWith(base) ? pathname.slice(base.length) || 'index.html' : 'none';
    const file = join(out, path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    response.end(readFileSync(file));
  });
}

test.before(async (t) => {
  t.timeout(600_000);
  const out = mkdtempSync(join(tmpdir(), 'gatewright-site-'));
  all.teardown(() => rmSync(out, { recursive: true, force: true }));
  await makeSite({ out, base });
  const server = serve(out);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  all.teardown(() => closeServer(server));
  t.context = { out, origin: `http://127.0.0.1:${portOf(server)}` };
});

const hrefsOf = (html: string): string[] => [...html.matchAll(/<a [^>]*?href="([^"]+)"/g)].map(([, href = '']) => href);
const idsOf = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));

test('every page is reached from the first one, and every link and anchor is there', (t) => {
  const { out } = t.context;
  const pages = new Map(
    globSync('**/*.html', { cwd: out }).map((page) => [page, readFileSync(join(out, page), 'utf8')] as const),
  );
  const ids = new Map([...pages].map(([page, html]) => [page, idsOf(html)]));
  const reached = new Set(['index.html']);
  const faults = new Set<string>();
  for (const page of reached)
    for (const href of hrefsOf(pages.get(page) ?? '')) {
      if (/^[a-z]+:/.test(href)) continue;
      const { pathname, hash } = new URL(href, `http://site${base}${page}`);
      const target = pathname.slice(base.length) || 'index.html';
      const anchors = ids.get(target);
      if (!pathname.startsWith(base) || !existsSync(join(out, target))) faults.add(`${page}: ${href}`);
      else if (hash !== '' && anchors && !anchors.has(decodeURIComponent(hash.slice(1))))
        faults.add(`${page}: ${href}`);
      if (anchors) reached.add(target);
    }
  t.deepEqual([...faults], []);
  t.true(pages.size > 90, `${pages.size} pages`);
  t.deepEqual(
    [...pages.keys()].filter((page) => !reached.has(page)),
    ['404.html'],
  );
});

test('nothing of a page is fetched from elsewhere', (t) => {
  const { out } = t.context;
  for (const file of globSync('**/*.{html,css}', { cwd: out })) {
    const text = readFileSync(join(out, file), 'utf8');
    t.deepEqual(
      text.match(/<(?:script|link|img|source|iframe)[^>]*(?:src|href|srcset)="(?:https?:)?\/\/[^"]*"/g),
      null,
      file,
    );
    t.deepEqual(text.match(/url\(["']?(?:https?:)?\/\/[^)]*\)|@import/g), null, file);
  }
});

test('a browser shows it without a fault, and finds what is sought', async (t) => {
  const { origin } = t.context;
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
  await page.goto(`${origin}${base}`);
  await page.getByRole('link', { name: 'Get started' }).click();
  await page.locator('h1', { hasText: 'Get started' }).waitFor();
  await page.getByRole('button', { name: 'Search' }).first().click();
  // Not by keys: the box gets the focus a moment after it is there.
  await page.locator('.VPLocalSearchBox input').fill('healthCheck interval');
  await page.locator('.results a', { hasText: 'spec.healthCheck' }).first().click();
  await page.locator('h1', { hasText: 'BackendPolicy' }).waitFor();
  for (const path of ['install.html', 'page.html', 'reference/accesspolicy.html', 'examples/canary.html']) {
    await page.goto(`${origin}${base}${path}`);
    await page.locator('.vp-doc h1').waitFor();
    const broken =
      '[...document.images].filter((image) => image.complete && image.naturalWidth === 0).map(({ src }) => src)';
    t.deepEqual(await page.evaluate(broken), [], path);
  }
  // The theme's own: a heading of the sidebar that opens has a button of its own, and the search's name is not its text.
  const ofTheme = /^(nested-interactive|label-content-name-mismatch): /;
  t.deepEqual(
    (await accessibilityFaults()).filter((fault) => !ofTheme.test(fault)),
    [],
  );
  t.deepEqual(faults, []);
});

import anyTest, { type TestFn } from 'ava';
import { openBrowser } from '../support/browser.ts';
import { xObject } from '../support/objects.ts';
import { request } from '../support/request.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;

test.before(async (t) => {
  const gateway = await startStandalone({}, { allowedAddresses: ['127.0.0.1/32'] });
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  gateway.write(
    'app.yaml',
    ...(await gateway.backend('app')),
    routeObject('app', 'app.example.com', [
      { matches: [{ path: { type: 'PathPrefix', value: '/app' } }], backendRefs: [{ name: 'app', port: 80 }] },
      {
        matches: [{ path: { type: 'PathPrefix', value: '/outside' } }],
        backendRefs: [{ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name: 'outside' }],
      },
    ]),
    xObject('XBackend', 'outside', {
      type: 'ExternalHostname',
      externalHostname: { hostname: 'localhost' },
      port: { number: 9 },
    }),
  );
  await until('the route', async () => (await gateway.get('app.example.com', '/app')).status === 200);
});
test.after.always((t) => t.context.gateway?.stop());

/** Every page by its link, and what it shows when it is there. */
const pages: Readonly<Record<string, string>> = {
  '#/': 'main .verdict.ok',
  '#/why?u=http%3A%2F%2Fapp.example.com%2Fapp%2F1': '.answer[data-outcome="forward"]',
  '#/why?u=http%3A%2F%2Fapp.example.com%2Felsewhere': '.answer[data-outcome="no_route"]',
  '#/traffic': '.tools .choice',
  '#/failures?flag=UF': '.tools .narrow',
  '#/changes': '.change',
  '#/map': '.map .node',
  '#/routes': '.grid .row',
  '#/routes/HTTPRoute/default/app': '.rules > li',
  '#/backends': '.grid .row',
  '#/backends/default/app:80': '.endpoints li',
  '#/backends/default/outside:9': '.panel p',
  '#/gateways': '.grid .row',
  '#/gateways/default/edge': '.conditions li',
  '#/listeners/default.edge.http': '.conditions li',
  '#/proxies': '.grid .row',
  '#/proxies/default.edge': '.facts dd a',
  '#/certificates': '.empty',
  '#/policies': '.empty',
  '#/edit/HTTPRoute/default/app': '.report[data-valid="true"]',
  '#/chat': '.mode[data-mode="builtin"]',
  '#/docs': '.contents li',
  '#/docs/problems.md?at=backend_without_endpoints': '.guide .sought',
  '#/docs/api': '.operations li',
  '#/docs/api/getV1Routes': '.parameter',
  '#/docs/api/postV1RouteTest': '.schema-fields li',
  '#/docs/api/schema/Route': '.schema-fields li',
  '#/ai': '.panel',
  '#/settings': 'input[name="apiKey"]',
};

for (const [theme, width, locale] of [
  ['light', 1280, 'en-GB'],
  ['dark', 320, 'de-DE'],
] as const) {
  test(`each page opens by its link, ${theme}, ${width} px, ${locale}`, async (t) => {
    t.timeout(600_000);
    const { origin } = t.context;
    const { page, faults, accessibilityFaults } = await openBrowser(t, origin, { theme, width, locale });
    for (const [link, shown] of Object.entries(pages)) {
      await page.goto(`${origin}/${link}`);
      await page.locator(shown).first().waitFor();
      t.deepEqual(await accessibilityFaults(), [], link);
      const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      t.is(wide, 0, `${link} scrolls sideways`);
    }
    t.is(await page.evaluate('document.documentElement.lang'), locale.slice(0, 2));
    t.deepEqual(faults, []);
  });
}

test('a backend that proxies find by DNS is no failure for want of endpoints', async (t) => {
  const { origin } = t.context;
  const { page, faults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/backends`);
  const row = page.locator('.grid .row', { hasText: 'default/outside:9' });
  await row.waitFor();
  t.regex((await row.textContent()) ?? '', /found by DNS.*localhost/);
  await page.goto(`${origin}/#/backends/default/outside:9`);
  await page.locator('.panel p', { hasText: 'found by DNS: localhost' }).waitFor();
  t.is(await page.getByText('no endpoint').count(), 0);
  t.deepEqual(faults, []);
});

test('the keyboard alone leads to a route and to its test', async (t) => {
  const { origin } = t.context;
  const { page, faults } = await openBrowser(t, origin);
  await page.goto(`${origin}/`);
  await page.locator('main .verdict').waitFor();
  await page.keyboard.press('/');
  await page.locator('.palette input:focus').waitFor();
  await page.keyboard.type('app.example');
  await page.locator('.palette li', { hasText: 'HTTPRoute' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.rules > li').first().waitFor();
  t.regex(page.url(), /#\/routes\/HTTPRoute\/default\/app$/);
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  await page.locator('#request').waitFor();
  await page.locator('#request').focus();
  await page.keyboard.type('curl -H "authorization: Bearer planted" app.example.com/app');
  await page.keyboard.press('Enter');
  await page.locator('.answer[data-outcome="forward"]').waitFor();
  t.false(page.url().includes('planted'), 'the link has no credentials');
  t.deepEqual(faults, []);
});

test('the page is packed, kept for a year under names of their content, and asks for no other site', async (t) => {
  const { origin } = t.context;
  const get = (path: string, headers: Record<string, string> = {}) => request(`${origin}${path}`, { headers });
  const document = await get('/', { 'accept-encoding': 'br' });
  t.is(document.status, 200);
  t.is(document.headers.get('content-encoding'), 'br');
  t.is(document.headers.get('cache-control'), 'no-cache');
  t.regex(
    document.headers.get('content-security-policy') ?? '',
    /default-src 'none'; script-src 'self'; style-src 'self'/,
  );
  const tag = document.headers.get('etag') ?? '';
  t.is((await get('/', { 'accept-encoding': 'br', 'if-none-match': tag })).status, 304);
  const html = await (await get('/', { 'accept-encoding': 'identity' })).text();
  const assets = [...html.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  t.is(assets.length, 3);
  for (const path of assets) {
    const asset = await get(path, { 'accept-encoding': 'gzip' });
    t.is(asset.status, 200, path);
    t.is(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.regex(asset.headers.get('content-type') ?? '', /javascript|css|svg/);
  }
  t.is((await get('/assets/../../package.json')).status, 404);
  t.is((await get('/assets/none.js')).status, 404);
});

import anyTest, { type TestFn } from 'ava';
import { loadConfig, SecretText } from '../../src/config/index.ts';
import { openBrowser } from '../support/browser.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;
const defaults = loadConfig(undefined, {});

test.before(async (t) => {
  const gateway = await startStandalone();
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
});
test.after.always((t) => t.context.gateway?.stop());

test.serial('a page that is switched off is a 404, and one for reading offers no editor', async (t) => {
  const ask = async (dashboard: { enabled: boolean; readOnly?: boolean }) => {
    const gateway = await startStandalone({}, { config: { dashboard } });
    t.teardown(() => gateway.stop());
    const origin = `http://127.0.0.1:${gateway.control.ports.layout1}`;
    const capabilities = (await (await fetch(`${origin}/v1/dashboard/capabilities`)).json()) as Record<string, boolean>;
    return { status: (await fetch(`${origin}/`)).status, page: capabilities.page, pageWrites: capabilities.pageWrites };
  };
  t.deepEqual(await ask({ enabled: false }), { status: 404, page: false, pageWrites: false });
  t.deepEqual(await ask({ enabled: true, readOnly: true }), { status: 200, page: true, pageWrites: false });
  t.deepEqual(await ask({ enabled: true }), { status: 200, page: true, pageWrites: true });
});

test.serial(
  'the page works behind a path prefix of our own proxy, with code that is loaded later and events',
  async (t) => {
    const { gateway } = t.context;
    const { layout1 } = gateway.control.ports;
    const place = { apiVersion: 'v1', metadata: { name: 'admin' } };
    gateway.write(
      'admin.yaml',
      { ...place, kind: 'Service', spec: { ports: [{ name: 'http', port: 80 }] } },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: 'admin', labels: { 'kubernetes.io/service-name': 'admin' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
        ports: [{ name: 'http', port: layout1 }],
      },
      routeObject('admin', 'localhost', [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/gw' } }],
          filters: [
            { type: 'URLRewrite', urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/' } } },
          ],
          backendRefs: [{ name: 'admin', port: 80 }],
        },
      ]),
    );
    const prefixed = `http://localhost:${gateway.port}`;
    await until('the route', async () => (await fetch(`${prefixed}/gw/`)).status === 200);
    const { page, faults } = await openBrowser(t, prefixed);
    await page.goto(`${prefixed}/gw/#/docs/problems.md`);
    await page.locator('.guide h1').waitFor();
    await page.locator('.connection.ok').waitFor();
    await page.goto(`${prefixed}/gw/#/routes`);
    await page.locator('.grid .row').first().waitFor();
    t.deepEqual(faults, []);
  },
);

test.serial('eight tabs over HTTP/1.1 load and follow, and one of them holds the stream', async (t) => {
  const { gateway, origin } = t.context;
  const { page, context, faults } = await openBrowser(t, origin);
  const streams = new Set<unknown>();
  context.on('request', (request) => {
    if (request.url().includes('/v1/events')) streams.add(request);
  });
  context.on('requestfinished', (request) => streams.delete(request));
  context.on('requestfailed', (request) => streams.delete(request));
  const tabs = [page, ...(await Promise.all(Array.from({ length: 7 }, () => context.newPage())))];
  for (const tab of tabs) {
    tab.setDefaultTimeout(100_000);
    await tab.goto(`${origin}/#/routes`);
    await tab.locator('.connection.ok').waitFor();
  }
  t.is(streams.size, 1);
  gateway.write('tabs.yaml', routeObject('tabs', 'tabs.example.com', [{ backendRefs: [{ name: 'none', port: 80 }] }]));
  for (const tab of tabs) {
    await tab.bringToFront();
    await tab.locator('.grid .row', { hasText: 'tabs' }).first().waitFor();
  }
  await tabs[0]?.close();
  await until('another tab reads', () => streams.size === 1);
  await tabs[1]?.locator('.connection.ok').waitFor();
  t.deepEqual(faults, []);
});

test.serial('a wrong token is said, the right one opens the page, and neither is in an address', async (t) => {
  const bearerToken = new SecretText('planted-token');
  const gateway = await startStandalone({}, { config: { adminAuth: { ...defaults.adminAuth, bearerToken } } });
  t.teardown(() => gateway.stop());
  const origin = `http://127.0.0.1:${gateway.control.ports.layout1}`;
  const { page, context, faults } = await openBrowser(t, origin);
  const addresses: string[] = [];
  context.on('request', (request) => addresses.push(request.url()));
  await page.goto(`${origin}/`);
  await page.locator('.sign-in input').fill('planted-wrong');
  await page.locator('.sign-in button').click();
  await page.locator('.sign-in [role="alert"]', { hasText: 'rejected' }).waitFor();
  await page.locator('.sign-in input').fill('planted-token');
  await page.locator('.sign-in button').click();
  await page.locator('main .verdict').waitFor();
  await page.locator('.connection.ok').waitFor();
  t.deepEqual(
    addresses.filter((url) => url.includes('planted')),
    [],
  );
  const other = await context.newPage();
  await other.goto(`${origin}/`);
  await other.locator('.sign-in').waitFor();
  t.pass('another tab has a token of its own');
  t.deepEqual(faults, []);
});

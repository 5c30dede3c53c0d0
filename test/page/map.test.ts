import anyTest, { type TestFn } from 'ava';
import { openBrowser } from '../support/browser.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;

test.before(async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  gateway.write(
    'shop.yaml',
    ...(await gateway.backend('shop')),
    routeObject('shop', 'shop.example.com', [{ backendRefs: [{ name: 'shop', port: 80 }] }]),
    routeObject('lost', 'lost.example.com', [{ backendRefs: [{ name: 'nowhere', port: 80 }] }]),
  );
  await until('the route', async () => (await gateway.get('shop.example.com')).status === 200);
});
test.after.always((t) => t.context.gateway?.stop());

test.serial(
  'the map of a Gateway is drawn beside the page, arrow keys go along its edges, and a table has the same',
  async (t) => {
    t.timeout(600_000);
    const { gateway, origin } = t.context;
    const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
    await page.goto(`${origin}/#/map`);
    await page.locator('.map .node').first().waitFor();
    t.is(page.workers().length, 1, 'the layout runs in a thread of its own');
    const { body } = await gateway.json(
      gateway.control.ports.layout1,
      '/v1/topology?focus=Gateway/default/edge&limit=300',
    );
    const { nodes, edges } = body as { nodes: unknown[]; edges: unknown[] };
    t.is(await page.locator('.map .node').count(), nodes.length);
    t.is(await page.locator('.map .edge').count(), edges.length);
    t.is(await page.locator('.map .node.failed', { hasText: 'lost' }).count(), 1, 'what fails is drawn so');
    t.deepEqual(await accessibilityFaults(), []);

    const focused = () => page.evaluate<string>('document.activeElement?.querySelector("title")?.textContent ?? ""');
    await page.locator('.map a[href="#/gateways/default/edge"]').focus();
    await page.keyboard.press('ArrowRight');
    t.regex(await focused(), /^listener /);
    await page.keyboard.press('ArrowRight');
    t.regex(await focused(), /^route default\//);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    t.regex(await focused(), /^Gateway default\/edge/);
    await page.locator('details > summary').click();
    // The rows are made when the browser has opened the details: after the click.
    await page.locator('.edges tbody tr').first().waitFor();
    t.is(await page.locator('.edges tbody tr').count(), edges.length);
    t.deepEqual(await accessibilityFaults(), []);
    await page.locator('.map a[href="#/routes/HTTPRoute/default/shop"]').focus();
    await page.keyboard.press('Enter');
    await page.locator('.rules').waitFor();
    t.deepEqual(faults, []);
  },
);

test.serial('many routes are grouped by namespace, and an object that is gone is said to be', async (t) => {
  t.timeout(600_000);
  const { gateway, origin } = t.context;
  gateway.write(
    'many.yaml',
    ...Array.from({ length: 80 }, (_, at) =>
      routeObject(`many-${at}`, `many-${at}.example.com`, [{ backendRefs: [{ name: 'shop', port: 80 }] }]),
    ),
  );
  await until('the routes', async () => (await gateway.get('many-79.example.com')).status === 200);
  const { page, faults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/map`);
  const group = page.locator('.map a[href^="#/routes?q=default"]');
  await group.waitFor();
  t.regex((await group.textContent()) ?? '', /default \(82\)/);
  await page.locator('label', { hasText: 'Routes' }).locator('select').selectOption('none');
  await page.locator('.map a[href="#/routes/HTTPRoute/default/many-79"]').waitFor();
  await page.goto(`${origin}/#/map?focus=HTTPRoute%2Fdefault%2Fnone`);
  await page.getByText('There is no such object any more.').waitFor();
  t.deepEqual(faults, []);
});

import anyTest, { type TestFn } from 'ava';
import { closeServer, portOf, startEchoServer } from '../../scripts/example/echo-server.ts';
import { openBrowser } from '../support/browser.ts';
import { dataPlane, dataPlaneRef } from '../support/objects.ts';
import { backendObjects, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { failureReport, sendTrafficReport, trafficReport } from '../support/traffic.ts';
import { until, untilFits } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string; stopBackend(): Promise<void> }>;

test.before(async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  const server = await startEchoServer('shop', '127.0.0.1', 0);
  t.context = {
    gateway,
    origin: `http://127.0.0.1:${gateway.control.ports.layout1}`,
    stopBackend: () => closeServer(server),
  };
  gateway.write(
    'shop.yaml',
    ...backendObjects('shop', portOf(server)),
    routeObject('shop', 'shop.example.com', [{ backendRefs: [{ name: 'shop', port: 80 }] }]),
  );
  await until('the route', async () => (await gateway.get('shop.example.com')).status === 200);
});
test.after.always(async (t) => {
  await t.context.stopBackend?.();
  await t.context.gateway?.stop();
});

const rule = 'httproute/default/shop/rule/0';

test.serial('a failure is there within two seconds of its report, and says what to do', async (t) => {
  t.timeout(600_000);
  const { gateway, origin } = t.context;
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
  const asked: number[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/v1/failures')) asked.push(Date.now());
  });
  await page.goto(`${origin}/#/failures`);
  await page.locator('.panel p.quiet').first().waitFor();
  await sendTrafficReport(
    gateway.control.ports.xds,
    trafficReport({
      nodeId: 'injected',
      failures: [failureReport(rule, { backend: 'default/shop/80', path: '/injected', clientAddress: '192.0.2.7' })],
    }),
  );
  const failed = page.locator('.failure', { hasText: '/injected' });
  await failed.waitFor();
  t.regex((await failed.locator('summary').textContent()) ?? '', /could not connect/);
  await failed.locator('summary').click();
  t.regex((await failed.textContent()) ?? '', /Connection_refused/);
  t.notRegex((await failed.textContent()) ?? '', /192\.0\.2\.7/);
  t.deepEqual(await accessibilityFaults(), []);
  await until('a question within two seconds of the one before', () =>
    asked.some((at, index) => at - (asked[index - 1] ?? 0) < 2_000),
  );

  await page.locator('input[name=flag]').fill('UH');
  await page.keyboard.press('Enter');
  await failed.waitFor({ state: 'detached' });
  t.regex(page.url(), /flag=UH/);
  await page.locator('.tools button').click();
  await failed.waitFor();
  await failed.getByText('why?').click();
  await page.locator('.answer').waitFor();
  t.deepEqual(faults, []);
});

test.serial('the client of a failed request is named once its DataPlane shows it', async (t) => {
  t.timeout(600_000);
  const { gateway, origin } = t.context;
  const [gatewayClass, edge] = gateway.gatewayObjects as [object, { readonly spec: object }];
  const infrastructure = { parametersRef: dataPlaneRef('edge') };
  const showing = dataPlane('edge', { failures: { clientAddress: 'Show' } });
  gateway.write('gateway.yaml', gatewayClass, { ...edge, spec: { ...edge.spec, infrastructure } }, showing);
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/failures`);
  const failed = page.locator('.failure', { hasText: '/shown' });
  await until('the switch', async () => {
    const failures = [failureReport(rule, { path: '/shown', clientAddress: '192.0.2.7' })];
    await sendTrafficReport(gateway.control.ports.xds, trafficReport({ nodeId: 'injected', failures }));
    return (await failed.filter({ hasText: 'from 192.0.2.7' }).count()) > 0;
  });
  t.deepEqual(await accessibilityFaults(), []);
  t.deepEqual(faults, []);
});

test.serial(
  'a backend that is stopped shows on the page of traffic, in a chart, its table, and a row with the cause',
  async (t) => {
    t.timeout(600_000);
    const { gateway, origin, stopBackend } = t.context;
    const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
    const ask = async (times: number) => {
      const statuses: number[] = [];
      for (let at = 0; at < times; at += 1) statuses.push((await gateway.get('shop.example.com')).status);
      return statuses;
    };
    t.deepEqual(new Set(await ask(30)), new Set([200]));
    await page.goto(`${origin}/#/traffic?by=backend`);
    const row = page.locator('.grid .row', { hasText: 'default/shop:80' });
    await row.waitFor();
    await stopBackend();
    t.deepEqual(new Set(await ask(30)), new Set([503]));
    const cause = row.getByText('could not connect');
    await cause.waitFor();
    t.regex((await row.textContent()) ?? '', /≤ [\d,]+ ms/);
    await page.locator('.chart canvas').waitFor();
    t.deepEqual(await accessibilityFaults(), []);
    await page.locator('details > summary', { hasText: 'numbers' }).click();
    const sum = async () => {
      const cells = await page.locator('.numbers td:last-child').allInnerTexts();
      return cells.reduce((total, text) => total + (Number(text) || 0), 0);
    };
    // A report may have come while they were asked, with the first of them.
    const { totals } = await untilFits(
      'all failures to be reported',
      async () => {
        const { body } = await gateway.json(gateway.control.ports.layout1, '/v1/traffic?by=gateway&window=15m');
        return body as { totals: { errors: number } };
      },
      ({ totals: { errors } }) => errors >= 30,
    );
    t.is(totals.errors, 30);
    await until('the table to say so', async () => (await sum()) === totals.errors);
    await page.locator('label', { hasText: 'By' }).locator('select').selectOption('route');
    await page.locator('.grid .row', { hasText: 'default/shop' }).first().waitFor();
    t.regex(page.url(), /by=route/);
    t.deepEqual(await accessibilityFaults(), []);
    t.deepEqual(faults, []);
  },
);

import test from 'ava';
import { openBrowser } from '../support/browser.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

test('a change shows by itself, with what caused it and how long it took to the proxies', async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const origin = `http://127.0.0.1:${gateway.control.ports.layout1}`;
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/changes`);
  await page.locator('.change').first().waitFor();
  gateway.write(
    'shop.yaml',
    ...(await gateway.backend('shop')),
    routeObject('shop', 'shop.example.com', [{ backendRefs: [{ name: 'shop', port: 80 }] }]),
  );
  const change = page.locator('.change', { has: page.locator('a[href="#/routes/HTTPRoute/default/shop"]') }).first();
  await change.waitFor();
  await until('the route', async () => (await gateway.get('shop.example.com')).status === 200);
  await change.locator('.taken', { hasText: /^1 proxy had it after [\d.,]+ m?s$/ }).waitFor();
  t.deepEqual(await accessibilityFaults(), []);

  gateway.write('shop.yaml', routeObject('shop', 'shop.example.com', [{ backendRefs: [{ name: 'gone', port: 80 }] }]));
  await page.locator('.change .lines', { hasText: 'Problem: HTTPRoute default/shop' }).waitFor();
  await page.locator('.tools input').fill('httproute default/shop');
  await until('the filter to leave some out', async () => {
    const [, few, all] = /^(\d+) of (\d+)/.exec((await page.locator('.tools [role=status]').textContent()) ?? '') ?? [];
    return Number(few) > 0 && Number(few) < Number(all);
  });
  await change.locator('a[href="#/routes/HTTPRoute/default/shop"]').first().click();
  await page.locator('.rules').waitFor();
  t.deepEqual(faults, []);
});

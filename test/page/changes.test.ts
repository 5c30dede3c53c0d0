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

test('two snapshots are compared object by object, and access that became weaker is marked', async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const origin = `http://127.0.0.1:${gateway.control.ports.layout1}`;
  const shop = (section: string) =>
    routeObject('shop', 'shop.example.com', [
      {
        filters: [
          { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x-section', value: section }] } },
        ],
        backendRefs: [{ name: 'shop', port: 80 }],
      },
    ]);
  const sectionIs = (section: string) =>
    until('the route', async () => {
      const { echo } = await gateway.get('shop.example.com');
      return echo?.headers['x-section'] === section;
    });
  const policy = (...allow: readonly string[]) => ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'AccessPolicy',
    metadata: { name: 'inside' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'shop' }],
      clientIPs: { allow },
    },
  });
  gateway.write('backend.yaml', ...(await gateway.backend('shop')));
  // In one file: of two the one may be in a snapshot before the other.
  gateway.write('shop.yaml', shop('one'), policy('127.0.0.0/8'));
  await sectionIs('one');
  const before = (await gateway.json(gateway.control.ports.layout1, '/v1/snapshots')).body as { id: string }[];
  gateway.write('shop.yaml', shop('two'), policy('127.0.0.0/8', '10.0.0.0/8'));
  await sectionIs('two');

  const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/changes`);
  await page.locator('a', { hasText: 'Compare two snapshots' }).click();
  await page.locator('.compared').waitFor();
  await page
    .locator('.tools select')
    .first()
    .selectOption(before[0]?.id ?? '');
  await page.locator('.weaker a[href="#/routes/HTTPRoute/default/shop"]').waitFor();
  t.regex((await page.locator('.weaker').textContent()) ?? '', /lets more networks in/);
  await page.locator('.compared .operation.changed').waitFor();
  t.is(await page.locator('.compared details').count(), 1, 'the route, once');
  await page.locator('.lines ins', { hasText: 'two' }).waitFor();
  t.regex(page.url(), /[?&]from=/);
  t.deepEqual(await accessibilityFaults(), []);

  await page.goto(`${origin}/#/changes`);
  await page.locator('.change a', { hasText: 'what changed' }).first().click();
  await page.locator('.compared[data-total]').waitFor();
  await page.goto(`${origin}/#/changes?from=none`);
  await page.locator('.notice.failing', { hasText: 'not among the newest 20' }).waitFor();
  t.is(await page.locator('.notice.failing').count(), 1, 'what cannot be read is said once');
  t.deepEqual(faults, []);
});

import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { openBrowser } from '../support/browser.ts';
import { startStandalone } from '../support/standalone.ts';

test('settings of add-ons are saved and tried, and a key is never shown again', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const origin = `http://127.0.0.1:${gateway.control.ports.layout1}`;
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
  await page.goto(`${origin}/#/settings`);
  const panel = page.locator('section', { has: page.locator('input[name="apiKey"]') });
  await panel.locator('input[name="apiEndpoint"]').fill(`http://127.0.0.1:${await freePort()}/v1`);
  await panel.locator('input[name="model"]').fill('some-model');
  await panel.locator('input[name="apiKey"]').fill('planted-key-1234');
  await panel.locator('button[type="submit"]').click();
  await panel.locator('.tested[data-ok="false"]').waitFor();
  t.deepEqual(await accessibilityFaults(), []);

  await page.reload();
  await panel.locator('input[name="model"]').waitFor();
  t.is(await panel.locator('input[name="model"]').inputValue(), 'some-model');
  const shown = await panel.locator('input[name="apiKey"]').inputValue();
  t.not(shown, '');
  t.false(shown.includes('planted'));

  await panel.locator('input[name="apiEndpoint"]').fill('ftp://127.0.0.1/');
  await panel.locator('button[type="submit"]').click();
  await panel.locator('.notice.failing').waitFor();
  t.deepEqual(faults, []);
});

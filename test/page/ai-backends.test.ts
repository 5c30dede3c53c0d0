import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { aiRule, aiService, ask, chat, fakeProvider, startAiGateway, untilListed } from '../support/ai.ts';
import { openBrowser } from '../support/browser.ts';
import { routeObject } from '../support/standalone.ts';

test('a service of models whose requests fail is shown so among the backends, and one that answers is not', async (t) => {
  t.timeout(600_000);
  const provider = await fakeProvider(t, 'openai');
  const gateway = await startAiGateway({
    'ai.yaml': [
      aiService('fine', provider.port, { provider: 'openai', models: [{ name: 'm' }] }),
      aiService('dead', await freePort(), { provider: 'openai', models: [{ name: 'm' }] }),
      routeObject('fine', 'fine.test', [aiRule('fine')]),
      routeObject('dead', 'dead.test', [aiRule('dead')]),
    ],
  });
  t.teardown(() => gateway.stop());
  for (const host of ['fine.test', 'dead.test']) await untilListed(gateway, host);
  for (let turn = 0; turn < 3; turn += 1) {
    t.is((await ask(gateway.port, { host: 'fine.test', body: chat('m') })).status, 200);
    t.is((await ask(gateway.port, { host: 'dead.test', body: chat('m') })).status, 503);
  }
  const origin = `http://127.0.0.1:${gateway.control.ports.layout1}`;
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin, { width: 320 });
  await page.goto(`${origin}/#/backends`);
  const row = (name: string) => page.locator('.grid .row', { hasText: `default/${name}:` });
  await row('dead').filter({ hasText: 'requests fail' }).filter({ hasText: '100%' }).waitFor();
  t.false(/requests fail/.test((await row('fine').textContent()) ?? ''));
  t.deepEqual(await accessibilityFaults(), []);
  await row('dead').locator('a').click();
  await page
    .locator('.notice.failing[data-errors="3"]', { hasText: '3 requests in the last 5 minutes, 3 of them failed.' })
    .waitFor();
  t.deepEqual(await accessibilityFaults(), []);
  t.deepEqual(faults, []);
});

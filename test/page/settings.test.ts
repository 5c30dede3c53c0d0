import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { openBrowser } from '../support/browser.ts';
import { countQuestions } from '../support/live-page.ts';
import { startMiddle } from '../support/middle.ts';
import { startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

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

for (const path of ['/v1/auth/verify', '/v1/dashboard/capabilities', '/v1/chatbot/config'])
  test(`settings are there soon after an answer of ${path} was cut`, async (t) => {
    const gateway = await startStandalone();
    t.teardown(() => gateway.stop());
    let cuts = 0;
    const origin = await startMiddle(t, `http://127.0.0.1:${gateway.control.ports.layout1}`, (answer, response) => {
      if (cuts > 0 || response.req.url !== path) return false;
      cuts += 1;
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.once('data', (body: Buffer) => {
        response.write(body.subarray(0, body.length / 2), () => response.destroy());
      });
      return true;
    });
    const { page, faults } = await openBrowser(t, origin);
    const questions = countQuestions(page);
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    await page.goto(`${origin}/#/settings`);
    const title = page.locator('h1', { hasText: 'Settings' });
    await until('the page', async () => {
      await page.clock.runFor(16);
      return (await title.count()) > 0;
    });
    // Much less than a minute, after which everything is asked again.
    for (let seconds = 0; seconds < 15; seconds++) {
      await until('all answers', () => questions.isAnswered);
      await page.clock.runFor(1000);
    }
    t.is(cuts, 1);
    t.is(await page.locator('input[name="apiKey"]').count(), 1);
    t.deepEqual(faults, []);
  });

test('a page whose questions have no answer for minutes asks no more often with each of them', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const origin = await startMiddle(t, `http://127.0.0.1:${gateway.control.ports.layout1}`, (_, response) => {
    if (response.req.url !== '/v1/auth/verify') return false;
    response.destroy();
    return true;
  });
  const { page } = await openBrowser(t, origin);
  const questions = countQuestions(page);
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);
  await page.goto(`${origin}/#/settings`);
  const minute = async () => {
    const before = questions.times('/v1/auth/verify');
    for (let seconds = 0; seconds < 60; seconds++) {
      await until('all answers', () => questions.isAnswered);
      await page.clock.runFor(1000);
    }
    return questions.times('/v1/auth/verify') - before;
  };
  for (let minutes = 0; minutes < 3; minutes++) await minute();
  const asked = await minute();
  // Each three seconds, and once by itself.
  t.true(asked > 0 && asked <= 21, `${asked} questions`);
});

import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { openBrowser } from '../support/browser.ts';
import { countQuestions, showsAfterEvent } from '../support/live-page.ts';
import { startMiddle } from '../support/middle.ts';
import { fileFor } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';
import {
  backendObjects,
  gatewayObjects,
  routeObject,
  type Standalone,
  startStandalone,
} from '../support/standalone.ts';
import { TwoProcesses } from '../support/two-processes.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;

test.before(async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  gateway.write(
    'dead.yaml',
    ...backendObjects('dead', await freePort()),
    routeObject('dead', 'dead.example.com', [{ backendRefs: [{ name: 'dead', port: 80 }] }]),
  );
  await until('the route', async () => (await gateway.get('dead.example.com')).status === 503);
});
test.after.always((t) => t.context.gateway?.stop());

for (const [link, asked, failed] of [
  ['#/', ['/v1/problems', '/v1/traffic'], '.problem[data-code="traffic_failing"]'],
  ['#/traffic', ['/v1/problems', '/v1/failures', 'by=route'], '.failure[data-status="503"]'],
] as const)
  test.serial(`a failed request shows on ${link} after an event, and not after the next question`, async (t) => {
    t.timeout(600_000);
    const { gateway, origin } = t.context;
    const fail = async () => t.is((await gateway.get('dead.example.com')).status, 503);
    await showsAfterEvent(t, { origin, link, asked, shown: failed, happen: fail });
  });

thorough(test.serial)(
  'behind a proxy that gathers the stream the page says that it is not live, and asks by itself',
  async (t) => {
    t.timeout(600_000);
    const { gateway, origin } = t.context;
    const held = new Set<ServerResponse>();
    let gathers = true;
    const middle = await startMiddle(t, origin, (answer, response) => {
      if (!gathers || answer.headers['content-type'] !== 'text/event-stream') return false;
      // As a proxy with a large buffer: the head goes through, and nothing of the body.
      response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      held.add(response);
      response.once('close', () => answer.destroy());
      return true;
    });
    const { page, faults } = await openBrowser(t, middle);
    await page.clock.install();
    await page.goto(`${middle}/#/routes`);
    await page.locator('.grid .row', { hasText: 'dead' }).waitFor();
    await until('the stream to be held', () => held.size === 1);
    await page.locator('.connection.warning').waitFor();
    t.regex((await page.locator('.connection').textContent()) ?? '', /not live: may be some seconds old/);
    gateway.write(
      'later.yaml',
      routeObject('later', 'later.example.com', [{ backendRefs: [{ name: 'dead', port: 80 }] }]),
    );
    await until('the API to have it', async () => {
      const { status } = await gateway.json(gateway.control.ports.layout1, '/v1/routes/HTTPRoute/default/later');
      return status === 200;
    });
    await page.clock.runFor(10_000);
    await page.locator('.grid .row', { hasText: 'later' }).waitFor();
    gathers = false;
    // The page gives up a stream that says nothing, and opens another.
    await page.clock.runFor(60_000);
    await page.locator('.connection.ok').waitFor();
    t.deepEqual(faults, []);
  },
);

thorough(test.serial)('a hidden tab asks nothing and reads no stream; seen again it is up to date', async (t) => {
  t.timeout(600_000);
  const { gateway, origin } = t.context;
  const { page, context, faults } = await openBrowser(t, origin);
  const questions = countQuestions(page);
  const asked: string[] = [];
  const streams = new Set<unknown>();
  context.on('request', (request) => {
    if (request.url().includes('/v1/events')) streams.add(request);
    else asked.push(request.url());
  });
  context.on('requestfinished', (request) => streams.delete(request));
  context.on('requestfailed', (request) => streams.delete(request));
  await page.clock.install();
  await page.goto(`${origin}/#/routes`);
  await page.locator('.grid .row').first().waitFor();
  await page.locator('.connection.ok').waitFor();
  const show = (isHidden: boolean) =>
    page.evaluate(`
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
  await show(true);
  await until('the stream to end', () => streams.size === 0);
  // Questions that were on their way end, and each may have planned another.
  await until('all answers', () => questions.isAnswered);
  const before = asked.length;
  await page.clock.runFor(120_000);
  t.deepEqual(asked.slice(before), []);
  gateway.write(
    'unseen.yaml',
    routeObject('unseen', 'unseen.example.com', [{ backendRefs: [{ name: 'dead', port: 80 }] }]),
  );
  await until('the API to have it', async () => {
    const { status } = await gateway.json(gateway.control.ports.layout1, '/v1/routes/HTTPRoute/default/unseen');
    return status === 200;
  });
  await show(false);
  await page.locator('.grid .row', { hasText: 'unseen' }).waitFor();
  await page.locator('.connection.ok').waitFor();
  t.deepEqual(faults, []);
});

async function controlPlane(t: ExecutionContext<unknown>, controlPlane: object): Promise<TwoProcesses> {
  const files = {
    'gateway.yaml': gatewayObjects(await freePort()),
    'route.yaml': [routeObject('kept', 'kept.example.com', [{ backendRefs: [{ name: 'none', port: 80 }] }])],
  };
  return await TwoProcesses.start(t as ExecutionContext, { files, controlPlane, dataPlane: {} });
}

thorough(test.serial)(
  'a late answer that rejects a question without a token does not take back the token given since',
  async (t) => {
    t.timeout(600_000);
    const bearerTokenFile = fileFor(t as ExecutionContext, 'planted-late', 'token');
    const world = await controlPlane(t, { adminAuth: { bearerTokenFile } });
    const late: (() => void)[] = [];
    const middle = await startMiddle(t, `http://127.0.0.1:${world.adminPort}`, (answer, response) => {
      if (answer.statusCode !== 401 || !response.req.url?.startsWith('/v1/routes')) return false;
      late.push(() => {
        response.writeHead(401, answer.headers);
        answer.pipe(response);
      });
      return true;
    });
    const { page, faults } = await openBrowser(t, middle);
    await page.goto(`${middle}/#/routes`);
    await until('a question to be held', () => late.length > 0);
    await page.locator('.sign-in input').fill('planted-late');
    await page.locator('.sign-in button').click();
    await page.locator('.sign-in').waitFor({ state: 'detached' });
    for (const answer of late) answer();
    await page.locator('.grid .row', { hasText: 'kept' }).waitFor();
    t.is(await page.locator('.sign-in').count(), 0);
    t.deepEqual(faults, []);
  },
);

thorough(test.serial)('a token that is changed is asked for, and the page goes on where it was', async (t) => {
  t.timeout(600_000);
  const bearerTokenFile = fileFor(t as ExecutionContext, 'planted-first', 'token');
  const world = await controlPlane(t, { adminAuth: { bearerTokenFile } });
  const origin = `http://127.0.0.1:${world.adminPort}`;
  const { page, faults } = await openBrowser(t, origin);
  const place = `${origin}/#/routes?q=kept`;
  const give = async (token: string) => {
    await page.locator('.sign-in input').fill(token);
    await page.locator('.sign-in button').click();
    await page.locator('.sign-in').waitFor({ state: 'detached' });
  };
  await page.goto(place);
  await give('planted-first');
  await page.locator('.grid .row', { hasText: 'kept' }).waitFor();
  await page.evaluate('window.isTheSame = true');
  writeFileSync(bearerTokenFile, 'planted-second');
  await page.locator('.sign-in [role="alert"]', { hasText: 'rejected' }).waitFor();
  t.is(await page.locator('.grid .row', { hasText: 'kept' }).count(), 1, 'what was read stays behind the question');
  await give('planted-second');
  await page.locator('.connection.ok').waitFor();
  await until('no notice', async () => (await page.locator('main .notice.failing').count()) === 0);
  t.is(page.url(), place);
  t.true(await page.evaluate('window.isTheSame'), 'the page was not loaded again');
  t.deepEqual(faults, []);
});

thorough(test.serial)(
  'a control plane that is killed leaves its last state, greyed, and its next start shows by itself',
  async (t) => {
    t.timeout(600_000);
    const world = await controlPlane(t, {});
    const origin = `http://127.0.0.1:${world.adminPort}`;
    const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
    await page.goto(`${origin}/#/routes`);
    const row = page.locator('.grid .row', { hasText: 'kept' });
    await row.waitFor();
    await page.locator('.connection.ok').waitFor();
    await page.evaluate('window.isTheSame = true');
    await world.killControlPlane();
    const notice = page.locator('main .notice[role="alert"]', { hasText: 'No connection to the control plane since' });
    await notice.waitFor();
    t.is(await row.count(), 1);
    t.is(await page.locator('main.stale').count(), 1);
    t.deepEqual(await accessibilityFaults(), []);
    world.write('new.yaml', routeObject('added', 'added.example.com', [{ backendRefs: [{ name: 'none', port: 80 }] }]));
    await world.startControlPlane();
    await page.locator('.grid .row', { hasText: 'added' }).waitFor();
    await notice.waitFor({ state: 'detached' });
    t.is(await page.locator('main.stale').count(), 0);
    await page.locator('.connection.ok').waitFor();
    t.true(await page.evaluate('window.isTheSame'), 'the page was not loaded again');
    t.deepEqual(
      faults.filter((fault) => !fault.includes('ERR_')),
      [],
    );
  },
);

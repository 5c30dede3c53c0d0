import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import anyTest, { type TestFn } from 'ava';
import { loadConfig, SecretText } from '../../src/config/index.ts';
import { openBrowser } from '../support/browser.ts';
import { thorough } from '../support/repetitions.ts';
import { request } from '../support/request.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;
const run = promisify(execFile);
const token = 'planted-token';

test.before(async (t) => {
  const { adminAuth } = loadConfig(undefined, {});
  const gateway = await startStandalone(
    {},
    { config: { adminAuth: { ...adminAuth, bearerToken: new SecretText(token) } } },
  );
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  gateway.write(
    'app.yaml',
    ...(await gateway.backend('app')),
    routeObject('app', 'app.example.com', [{ backendRefs: [{ name: 'app', port: 80 }] }]),
  );
  await until('the route', async () => (await gateway.get('app.example.com')).status === 200);
});
test.after.always((t) => t.context.gateway?.stop());

/** A browser whose user has given the token. */
async function signedIn(t: Parameters<typeof openBrowser>[0], origin: string, link: string) {
  const browsed = await openBrowser(t, origin);
  const { page } = browsed;
  await page.goto(`${origin}/${link}`);
  await page.locator('.sign-in input').fill(token);
  await page.locator('.sign-in button').click();
  await page.locator('.sign-in').waitFor({ state: 'detached' });
  return browsed;
}

test('the reference has every operation that the API describes, and words lead to operations and schemas', async (t) => {
  const { origin } = t.context;
  const { page, faults, accessibilityFaults } = await signedIn(t, origin, '#/docs');
  await page.locator('main a', { hasText: 'Reference of the admin API' }).click();
  await page.locator('.operations li').first().waitFor();
  const { paths } = (await (
    await request(`${origin}/openapi.json`, { headers: { authorization: `Bearer ${token}` } })
  ).json()) as { paths: Record<string, Record<string, unknown>> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()}${path}`),
  );
  const links = await page.locator('.operations a').allTextContents();
  t.deepEqual([...links].sort(), [...described].sort());

  // By the keyboard alone: to the search, to what it finds, and there.
  await page.locator('input[type="search"]').focus();
  await page.keyboard.type('errorRatio');
  await page.locator('.names a', { hasText: /^TrafficTotals$/ }).waitFor();
  t.regex(page.url(), /#\/docs\/api\?q=errorRatio$/, 'the search is a link');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('backends namespace');
  await page.locator('.operations a', { hasText: '/v1/backends/{namespace}/{name}' }).first().focus();
  await page.keyboard.press('Enter');
  await page.locator('h1', { hasText: '/v1/backends/{namespace}/{name}' }).waitFor();
  t.regex(page.url(), /#\/docs\/api\/getV1BackendsNamespaceName$/);

  // One of two forms, each behind its name.
  await page.locator('summary', { hasText: /^Fields of Backend$/ }).focus();
  await page.keyboard.press('Enter');
  await page.locator('summary', { hasText: 'Fields of endpoints' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.schema-fields .schema-fields li').first().waitFor();
  await page
    .locator('.schema-fields a', { hasText: /^BackendEndpoint$/ })
    .first()
    .click();
  await page.locator('h1', { hasText: /^BackendEndpoint$/ }).waitFor();
  t.true((await page.locator('.names a').count()) > 0, 'what refers to it');
  t.deepEqual(await accessibilityFaults(), []);
  await page.goto(`${origin}/#/docs/api/nothing`);
  await page.locator('.empty').waitFor();
  t.deepEqual(faults, []);
});

thorough(test)(
  'what is asked from the page is answered as the copied line is, with the token and never with it in sight',
  async (t) => {
    const { origin } = t.context;
    const { page, context, faults, accessibilityFaults } = await signedIn(
      t,
      origin,
      '#/docs/api/getV1BackendsNamespaceName',
    );
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('#parameter-namespace').fill('default');
    await page.locator('#parameter-name').fill('app:80');
    await page.keyboard.press('Enter');
    await page.locator('.answered[data-status="200"]').waitFor();
    const shown = JSON.parse((await page.locator('.answered pre').textContent()) ?? '');
    t.is(shown.service, 'app');
    await page.locator('button', { hasText: 'Copy' }).click();
    await page.locator('[role="status"]', { hasText: 'Copied' }).waitFor();
    const line = (await page.evaluate('navigator.clipboard.readText()')) as string;
    t.false(line.includes(token));
    const { stdout } = await run('sh', ['-c', `${line} --silent --noproxy '*'`], {
      env: { ...process.env, TOKEN: token },
    });
    t.is(JSON.parse(stdout).service, shown.service);
    t.false(page.url().includes(token));

    // A link brings the values along, and asks nothing by itself.
    const asked: string[] = [];
    page.on('request', (each) => asked.push(new URL(each.url()).pathname));
    await page.goto(`${origin}/#/docs/api/getV1BackendsNamespaceName?p.namespace=default&p.name=none%3A80`);
    await page.locator('#parameter-name').waitFor();
    t.is(await page.locator('#parameter-name').inputValue(), 'none:80');
    t.is(await page.locator('.answered').count(), 0);
    t.deepEqual(
      asked.filter((path) => path.startsWith('/v1/backends/')),
      [],
    );
    await page.locator('#try-it button').click();
    await page.locator('.answered[data-status="404"]').waitFor();
    t.regex((await page.locator('.answered pre').textContent()) ?? '', /not_found/);
    t.deepEqual(await accessibilityFaults(), []);
    t.deepEqual(faults, []);
  },
);

thorough(test)(
  'what is large is read in part, and what changes something, goes on or is elsewhere is not asked',
  async (t) => {
    const { origin } = t.context;
    const { page, faults } = await signedIn(t, origin, '#/docs/api/getOpenapiJson');
    await page.locator('#try-it button').click();
    await page.locator('.answered [role="status"]', { hasText: 'Only the first 262,144 bytes' }).waitFor();
    for (const [id, line] of [
      ['postV1Resources', /-X POST/],
      ['deleteV1ResourcesKindNamespaceName', /-X DELETE/],
      ['getV1Events', /curl -N/],
      ['getApiV1Clients', /127\.0\.0\.1:8081\/api\/v1\/clients/],
      ['getApiV1Stats', /127\.0\.0\.1:8082\/api\/v1\/stats/],
    ] as const) {
      await page.goto(`${origin}/#/docs/api/${id}`);
      const code = page.locator('pre', { hasText: 'curl ' }).first();
      await code.waitFor();
      await until('its line', async () => line.test((await code.textContent()) ?? ''));
      t.is(await page.locator('#try-it').count(), 0, id);
    }
    t.deepEqual(faults, []);
  },
);

thorough(test)(
  'the search of everything leads from a path with values, and from words, to the place in the reference',
  async (t) => {
    const { origin } = t.context;
    const { page, faults, accessibilityFaults } = await signedIn(t, origin, '#/');
    const look = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.locator('.palette input').waitFor();
      await page.keyboard.insertText(text);
    };
    await look('GET /v1/gateways/default/edge');
    const first = page.locator('.palette li').first();
    await first.filter({ hasText: 'GET /v1/gateways/{namespace}/{name}' }).waitFor();
    t.deepEqual(await accessibilityFaults(), []);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/#/docs/api/getV1GatewaysNamespaceName`);
    await page.locator('h1', { hasText: '/v1/gateways/{namespace}/{name}' }).waitFor();
    await look('TrafficTotals');
    await page.locator('.palette li', { hasText: 'API · schema' }).first().click();
    await page.waitForURL(`${origin}/#/docs/api/schema/TrafficTotals`);
    t.deepEqual(faults, []);
  },
);

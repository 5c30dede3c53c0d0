import anyTest, { type TestFn } from 'ava';
import { openBrowser } from '../support/browser.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { signer } from '../support/tokens.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;
const staff = signer('staff');

const policy = (name: string, kind: string, target: string, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: target }], ...spec },
});

test.before(async (t) => {
  const gateway = await startStandalone();
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  gateway.write(
    'shop.yaml',
    ...(await gateway.backend('shop')),
    routeObject('shop', 'shop.example.com', [
      { name: 'all', backendRefs: [{ name: 'shop', port: 80 }] },
      {
        name: 'admin',
        matches: [{ path: { type: 'PathPrefix', value: '/admin' } }],
        backendRefs: [{ name: 'shop', port: 80 }],
      },
    ]),
    policy('edge', 'Gateway', 'edge', { clientIPs: { deny: ['10.9.0.0/16'] } }),
    policy('staff', 'HTTPRoute', 'shop', {
      jwt: {
        providers: [
          {
            name: 'staff',
            issuer: 'https://id.test',
            audiences: ['api'],
            jwks: { inline: JSON.stringify({ keys: [staff.jwk] }) },
          },
        ],
      },
    }),
    routeObject('open', 'open.example.com', [{ backendRefs: [{ name: 'shop', port: 80 }] }]),
  );
  await until('the policy', async () => (await gateway.get('shop.example.com')).status === 401);
});
test.after.always((t) => t.context.gateway?.stop());

// First, and alone: the other one adds a policy for a while, and an answer is asked for once.
test.serial('each part of access is judged for an address and a token, and the token is kept nowhere', async (t) => {
  const { origin } = t.context;
  const { page, context, faults, accessibilityFaults } = await openBrowser(t, origin);
  const addresses: string[] = [];
  context.on('request', (request) => addresses.push(request.url()));
  const partIs = (part: string, verdict: string) =>
    page.locator(`.access-parts [data-part="${part}"][data-verdict="${verdict}"]`).waitFor();

  await page.goto(`${origin}/#/why?u=shop.example.com`);
  await page.locator('.access[data-verdict="denies"]').waitFor();
  await partIs('jwt', 'denies');
  t.is(await page.locator('.answer').getAttribute('data-outcome'), 'denied');

  const token = staff.token({ iss: 'https://id.test', aud: 'api', sub: 'ann', exp: Date.now() / 1000 + 600 });
  await page.locator('.asker summary').click();
  await page.locator('input[name="from"]').fill('192.0.2.7');
  await page.locator('input[name="token"]').fill(token);
  await page.locator('.ask button').click();
  await page.locator('.answer[data-outcome="forward"] .access[data-verdict="passes"]').waitFor();
  await partIs('clientIPs', 'passes');
  await partIs('jwt', 'passes');
  t.deepEqual(await accessibilityFaults(), []);

  await page.locator('input[name="from"]').fill('10.9.1.2');
  await page.locator('.ask button').click();
  await partIs('clientIPs', 'denies');
  await page.locator('.access-parts [data-part="jwt"]', { hasText: 'not reached' }).waitFor();

  t.regex(page.url(), /from=10\.9\.1\.2/, 'the address is a part of the link');
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])',
  );
  t.false([...addresses, page.url(), String(kept)].some((text) => text.includes(token)));
  await page.reload();
  await partIs('clientIPs', 'denies');
  t.is(await page.locator('input[name="token"]').inputValue(), '');
  t.deepEqual(faults, []);
});

test.serial(
  'the page of a route says which policies are in force, rule by rule, and of an open one that none is',
  async (t) => {
    const { gateway, origin } = t.context;
    const { page, faults, accessibilityFaults } = await openBrowser(t, origin, { theme: 'dark', width: 320 });
    await page.goto(`${origin}/#/routes/HTTPRoute/default/shop`);
    const part = (name: string) => page.locator(`.access-parts [data-part="${name}"]`);
    await part('clientIPs').waitFor();
    await part('jwt').waitFor();
    t.deepEqual(await part('jwt').getAttribute('data-state'), 'inForce');
    t.regex((await part('jwt').textContent()) ?? '', /default\/staff at the route rules all, admin/);
    t.regex((await part('clientIPs').textContent()) ?? '', /default\/edge at the Gateway default\/edge/);
    t.deepEqual(await accessibilityFaults(), []);

    gateway.write(
      'keys.yaml',
      policy('keys', 'HTTPRoute', 'shop', {
        apiKeys: { secretRefs: [{ name: 'missing' }], from: [{ header: 'x-key' }] },
      }),
    );
    await page.locator('.access-parts [data-part="apiKeys"][data-state="closed"]').waitFor();
    t.regex((await part('apiKeys').textContent()) ?? '', /missing/);
    gateway.remove('keys.yaml');

    await page.goto(`${origin}/#/routes/HTTPRoute/default/open`);
    await part('clientIPs').waitFor();
    t.is(await part('jwt').count(), 0);
    const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    t.is(wide, 0);
    t.deepEqual(faults, []);
  },
);

import anyTest, { type TestFn } from 'ava';
import { openBrowser } from '../support/browser.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;

const policy = (kind: string, name: string, target: object, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind,
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], ...spec },
});
const route = { kind: 'HTTPRoute', name: 'shop' };
const edge = { kind: 'Gateway', name: 'edge' };

test.before(async (t) => {
  const gateway = await startStandalone();
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  gateway.write(
    'shop.yaml',
    ...(await gateway.backend('shop')),
    routeObject('shop', 'shop.example.com', [
      {
        name: 'login',
        matches: [{ path: { type: 'PathPrefix', value: '/login' } }],
        backendRefs: [{ name: 'shop', port: 80 }],
      },
      { backendRefs: [{ name: 'shop', port: 80 }] },
    ]),
    routeObject('plain', 'plain.example.com', [{ backendRefs: [{ name: 'shop', port: 80 }] }]),
    policy('RateLimitPolicy', 'shop', route, {
      buckets: [
        {
          name: 'each-user',
          key: [{ type: 'Header', name: 'X-User' }],
          limits: [{ requests: 5, per: '1m', burst: 9 }],
        },
      ],
    }),
    policy('RateLimitPolicy', 'all', route, {
      onLimit: 'Shadow',
      buckets: [{ name: 'total', limits: [{ requests: 1000, per: '24h' }] }],
    }),
    policy('TrafficPolicy', 'edge', edge, { timeouts: { request: '9s' }, retry: { attempts: 1 } }),
    policy('TrafficPolicy', 'login', { ...route, sectionName: 'login' }, { timeouts: { request: '30s' } }),
    policy('TrafficPolicy', 'lost', { kind: 'HTTPRoute', name: 'nowhere' }, { retry: { attempts: 1 } }),
  );
  await until('the route', async () => (await gateway.get('shop.example.com')).status === 200);
});
test.after.always((t) => t.context.gateway?.stop());

// First, and alone: the other one adds a policy for a while.
test.serial(
  'the list of policies has each with what it is for, the worst first, and leads to its place on the map',
  async (t) => {
    const { origin } = t.context;
    const { page, faults, accessibilityFaults } = await openBrowser(t, origin, { locale: 'de-DE' });
    await page.goto(`${origin}/#/policies`);
    const rows = page.locator('.grid .row');
    await rows.first().waitFor();
    const texts = await rows.allTextContents();
    t.is(texts.length, 5);
    t.regex(texts[0] ?? '', /default\/lost.*TrafficPolicy.*for HTTPRoute nowhere/);
    t.true(texts.some((text) => /default\/login.*TrafficPolicy.*angenommen.*for HTTPRoute shop, login/.test(text)));
    t.deepEqual(await accessibilityFaults(), []);
    await page.locator('.tools input[type=search]').fill('ratelimitpolicy default/shop');
    await until('one row', async () => (await rows.count()) === 1);
    await rows.first().locator('a').click();
    await page.locator('.map .node', { hasText: 'shop' }).first().waitFor();
    t.regex(page.url(), /focus=RateLimitPolicy%2Fdefault%2Fshop/);
    t.deepEqual(faults, []);
  },
);

test.serial(
  'the page of a route says what its requests count against, how they are treated, and which policy says so',
  async (t) => {
    const { gateway, origin } = t.context;
    const { page, faults, accessibilityFaults } = await openBrowser(t, origin, { theme: 'dark', width: 320 });
    await page.goto(`${origin}/#/routes/HTTPRoute/default/shop`);
    const bucket = (name: string) => page.locator(`.limits [data-bucket="${name}"]`);
    await bucket('each-user').waitFor();
    t.regex(
      (await bucket('each-user').textContent()) ?? '',
      /in force.*each-user 5 per 1 minute \(up to 9 at once\) for each header x-user beyond it 429 RateLimitPolicy default\/shop at the route rules login, 1/,
    );
    t.is(await bucket('total').getAttribute('data-state'), 'shadow');
    t.regex((await bucket('total').textContent()) ?? '', /1,000 per 1 day for all clients together/);

    const groups = async () => (await page.locator('.tuning li').allTextContents()).map((text) => text.trim());
    await page.locator('.tuning [data-group="timeouts"]').first().waitFor();
    const all = await groups();
    const says = (pattern: RegExp) =>
      t.true(
        all.some((text) => pattern.test(text)),
        `${pattern}: ${all.join('\n')}`,
      );
    says(/in force.*timeouts request 30s TrafficPolicy default\/login at the rule rule login$/);
    says(/in force.*timeouts request 9s TrafficPolicy default\/edge at the Gateway rule 1$/);
    says(
      /overridden.*timeouts request 9s TrafficPolicy default\/edge at the Gateway rule login by TrafficPolicy default\/login$/,
    );
    says(/in force.*retry attempts 1 TrafficPolicy default\/edge at the Gateway rules login, 1$/);
    t.deepEqual(await accessibilityFaults(), []);
    const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    t.is(wide, 0);

    gateway.write(
      'more.yaml',
      policy('TrafficPolicy', 'plain', { kind: 'HTTPRoute', name: 'plain' }, { disabled: ['retry'] }),
    );
    await page.goto(`${origin}/#/routes/HTTPRoute/default/plain`);
    await page.locator('.tuning [data-group="retry"][data-state="disabled"]', { hasText: 'default/plain' }).waitFor();
    await page.getByText('No RateLimitPolicy applies to this route.').waitFor();
    gateway.remove('more.yaml');
    t.deepEqual(faults, []);
  },
);

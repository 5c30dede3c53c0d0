import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { Locator, Page } from 'playwright-core';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { SqliteStore } from '../../src/addons/ai/store/sqlite-store.ts';
import { attempt } from '../support/ai-records.ts';
import { type Browsed, openBrowser } from '../support/browser.ts';
import { TestProxy } from '../support/replica.ts';
import {
  backendObjects,
  gatewayObjects,
  routeObject,
  type Standalone,
  startStandalone,
} from '../support/standalone.ts';
import { until } from '../support/until.ts';

// What operators ask, by a user who has nothing but the page: where the answer is, and after how many clicks.

const test = anyTest as TestFn<{ gateway: Standalone; origin: string; dayStart: number; endings: (() => void)[] }>;
const dayMs = 86_400_000;
const routeTypes = [
  'type.googleapis.com/envoy.config.listener.v3.Listener',
  'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  'type.googleapis.com/envoy.config.route.v3.ScopedRouteConfiguration',
];
const why = 'invalid regex: missing argument to repetition operator: *';
const shots = process.env.PAGE_SHOTS;

/** A user at the page: each click counts, and so do the words that are typed. */
class Stranger {
  clicks = 0;
  readonly page: Page;
  readonly #browsed: Browsed;
  readonly #began = performance.now();

  constructor(browsed: Browsed) {
    this.#browsed = browsed;
    this.page = browsed.page;
  }

  static async at(t: ExecutionContext<{ origin: string }>): Promise<Stranger> {
    const { origin } = t.context;
    const stranger = new Stranger(await openBrowser(t, origin));
    await stranger.page.goto(`${origin}/`);
    await stranger.page.locator('main .cards').waitFor();
    return stranger;
  }

  /** Goes to a page by its name in the navigation. */
  async go(name: string): Promise<void> {
    await this.click(this.page.getByRole('navigation').getByRole('link', { name, exact: true }));
  }

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  /** Asks why about a URL. */
  async types(url: string): Promise<void> {
    await this.page.locator('#request').fill(url);
    await this.page.keyboard.press('Enter');
  }

  /** What it reads once it is there. */
  async reads(selector: string): Promise<string> {
    const what = this.page.locator(selector).first();
    await what.waitFor();
    return (await what.allInnerTexts()).join(' ').replace(/\s+/g, ' ');
  }

  async leaves(t: ExecutionContext<unknown>, name: string, mostClicks: number): Promise<void> {
    if (shots) await this.page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
    t.log(`${name}: ${this.clicks} clicks, ${((performance.now() - this.#began) / 1000).toFixed(1)} s`);
    t.true(this.clicks <= mostClicks, `${this.clicks} clicks`);
    t.deepEqual(await this.#browsed.accessibilityFaults(), []);
    t.deepEqual(this.#browsed.faults, []);
  }
}

test.before(async (t) => {
  t.timeout(600_000);
  const endings: (() => void)[] = [];
  const stateDirectory = mkdtempSync(join(tmpdir(), 'gatewright-state-'));
  endings.push(() => rmSync(stateDirectory, { recursive: true, force: true }));
  const store = new SqliteStore(join(stateDirectory, 'ai-usage.sqlite'));
  const used = { input: 1000, output: 500, cached: 0, cacheWrite: 0, reasoning: 0 };
  const dayStart = Math.floor(Date.now() / dayMs) * dayMs;
  // Both halves of yesterday, of which the last 24 hours have but a part.
  for (const [at, dollars] of [
    [dayStart - dayMs + 60_000, 4],
    [dayStart - 60_000, 3],
    [dayStart - dayMs - 60_000, 50],
    [Date.now(), 20],
  ] as const)
    store.addAttempt(
      attempt({ at, model: 'gpt-4o', usage: used, usageStatus: 'complete', cost: dollars * 1e9 }),
      'key',
    );
  store.close();
  const gateway = await startStandalone({}, { stateDirectory });
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}`, dayStart, endings };
  const authority = await createAuthority('ours');
  const inDays = { soon: 5, later: 200, old: 60 };
  const secrets = await Promise.all(
    Object.entries(inDays).map(async ([name, days]) => {
      const ends = new Date(Date.now() + days * dayMs);
      const { certificatePem, keyPem } = await authority.issue({ hostnames: [`${name}.example.com`], ends });
      return {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name },
        stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
      };
    }),
  );
  const [, edge] = gatewayObjects(gateway.port) as [object, { spec: { listeners: object[] } }];
  const tlsPort = await freePort();
  const listeners = [
    ...edge.spec.listeners,
    ...Object.keys(inDays).map((name) => ({
      name,
      port: tlsPort,
      protocol: 'HTTPS',
      hostname: `${name}.example.com`,
      tls: { certificateRefs: [{ name }] },
    })),
  ];
  const [gatewayClass] = gateway.gatewayObjects as [object];
  gateway.write('gateway.yaml', gatewayClass, { ...edge, spec: { ...edge.spec, listeners } }, ...secrets);
  gateway.write(
    'shop.yaml',
    ...(await gateway.backend('shop')),
    ...backendObjects('bank', await freePort()),
    routeObject('shop', 'shop.example.com', [
      { matches: [{ path: { type: 'PathPrefix', value: '/cart' } }], backendRefs: [{ name: 'shop', port: 80 }] },
    ]),
    routeObject('pay', 'pay.example.com', [{ backendRefs: [{ name: 'bank', port: 80 }] }]),
  );
  await until('the routes', async () => (await gateway.get('pay.example.com')).status === 503);
  await until('the other one', async () => (await gateway.get('shop.example.com', '/cart')).status === 200);
  new TestProxy({ teardown: (end: () => void) => endings.push(end) } as never, gateway, {
    nodeId: 'edge-old',
    types: routeTypes,
    rejects: (_, names) => (names.some((name) => /late/.test(name)) ? why : undefined),
  });
  await until('the proxy to be there', () =>
    gateway.control.xds.nodes.list().some(({ nodeId }) => nodeId === 'edge-old'),
  );
  gateway.write('late.yaml', routeObject('late', 'late.example.com', [{ backendRefs: [{ name: 'shop', port: 80 }] }]));
  await until('the last change', async () => (await gateway.get('late.example.com')).status === 200);
});
test.after.always(async (t) => {
  for (const end of t.context.endings ?? []) await end();
  await t.context.gateway?.stop();
});

test.serial('why does shop.example.com/basket get a 404', async (t) => {
  t.timeout(600_000);
  const stranger = await Stranger.at(t);
  await stranger.go('Why?');
  await stranger.types('http://shop.example.com/basket');
  const said = await stranger.reads('.answer[data-outcome="no_route"]');
  t.regex(said, /404/);
  t.regex(said, /default\/shop.*\/cart/, 'the route that is near, and what it wants');
  await stranger.leaves(t, '404', 1);
});

test.serial('why does pay.example.com get a 503', async (t) => {
  t.timeout(600_000);
  const stranger = await Stranger.at(t);
  t.regex(
    await stranger.reads('.problem:has-text("default/pay")'),
    /default\/bank:80.*cannot be connected|refuses connections/,
  );
  await stranger.go('Why?');
  await stranger.types('pay.example.com');
  t.regex(await stranger.reads('.answer[data-outcome="forward"]'), /\(UF\)/);
  await stranger.leaves(t, '503', 1);
});

test.serial('which certificate ends first', async (t) => {
  t.timeout(600_000);
  const stranger = await Stranger.at(t);
  t.regex(await stranger.reads('.problem a[href^="#/certificates"]'), /default\/soon/);
  await stranger.go('Certificates');
  t.regex(await stranger.reads('.grid .row'), /^default\/soon .*ends soon 4 /);
  await stranger.page.locator('.grid .row a[href="#/listeners/default.edge.soon"]').waitFor();
  await stranger.leaves(t, 'certificate', 1);
});

test.serial('which proxy did not take the last change, and why', async (t) => {
  t.timeout(600_000);
  const stranger = await Stranger.at(t);
  t.true((await stranger.reads('.problem:has-text("edge-old")')).includes(`httproute/default/late: ${why}`));
  await stranger.go('Proxies');
  t.regex(await stranger.reads('.grid .row:has-text("edge-old")'), /rejected the last change/);
  await stranger.click(stranger.page.locator('.grid .row a', { hasText: 'edge-old' }));
  t.true((await stranger.reads('main:has(.conditions)')).includes(why));
  await stranger.click(stranger.page.locator('.conditions a[href="#/routes/HTTPRoute/default/late"]'));
  await stranger.reads('.rules > li');
  await stranger.leaves(t, 'proxy', 3);
});

test.serial('what changed in the last ten minutes', async (t) => {
  t.timeout(600_000);
  const stranger = await Stranger.at(t);
  await stranger.go('Changes');
  const said = await stranger.reads('.change:has-text("default/late")');
  t.regex(said, /1 proxy had it after/);
  t.regex(said, /(second|minute)s? ago|now/);
  t.regex(said, /Proxy edge-old \w+ it: invalid regex/);
  await stranger.click(stranger.page.locator('.change:has-text("default/late") a', { hasText: 'what changed' }));
  await stranger.reads('.compared[data-total]');
  await stranger.leaves(t, 'changes', 2);
});

test.serial('what did gpt-4o cost yesterday', async (t) => {
  t.timeout(600_000);
  const stranger = await Stranger.at(t);
  await stranger.go('AI');
  // When midnight has passed since the start, what was used then is of yesterday.
  const isSameDay = Math.floor(Date.now() / dayMs) * dayMs === t.context.dayStart;
  const cost = isSameDay ? '\\$7' : '\\$20';
  t.regex(await stranger.reads('[data-day]:has-text("yesterday")'), new RegExp(`gpt-4o ${cost}$`), 'the whole day');
  t.regex(await stranger.reads('.figure:has-text("yesterday")'), new RegExp(`^${cost} yesterday$`));
  await stranger.leaves(t, 'cost', 1);
});

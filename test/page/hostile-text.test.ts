import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { openBrowser } from '../support/browser.ts';
import { harmOn, image, link, long, noHarm, reversed, script, unseen } from '../support/hostile-text.ts';
import { every } from '../support/repetitions.ts';
import { backendObjects, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { failureReport, sendTrafficReport, trafficReport } from '../support/traffic.ts';
import { until } from '../support/until.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;

/** What a header may have as its value. */
const headerText = [image, script, link, '__proto__', long].join(' ');
/** As long as names of objects and hosts may be. */
const longName = Array.from({ length: 4 }, () => 'y'.repeat(62)).join('.');

test.before(async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  const dead = [{ name: 'dead', port: 80 }];
  gateway.write(
    'hostile.yaml',
    ...backendObjects('dead', await freePort()),
    routeObject('dead', 'dead.example.com', [{ backendRefs: dead }]),
    routeObject(longName, longName, [
      {
        matches: [
          { headers: [{ name: 'x-hostile', value: headerText.slice(0, 4_000) }] },
          { queryParams: [{ name: 'q', value: `${image}${reversed}${unseen}` }] },
        ],
        filters: [
          { type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x-set', value: script + long }] } },
        ],
        backendRefs: dead,
      },
    ]),
    routeObject('rejected', 'rejected.example.com', [
      {
        matches: [{ headers: [{ name: 'x-rejected', value: `${headerText.slice(0, 3_000)}${reversed}` }] }],
        backendRefs: dead,
      },
    ]),
    routeObject('lost', 'lost.example.com', [{ backendRefs: [{ name: `${image}${long}`.slice(0, 250), port: 80 }] }]),
    {
      apiVersion: 'gatewright.dev/v1alpha1',
      kind: 'TrafficPolicy',
      metadata: { name: longName },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: longName }],
        errorPages: [{ classes: ['5xx'], body: { contentType: 'text/html', inline: `${image}${script}${reversed}` } }],
      },
    },
    routeObject('pattern', 'pattern.example.com', [
      { matches: [{ path: { type: 'RegularExpression', value: `/(${image}${'z'.repeat(900)}` } }], backendRefs: dead },
    ]),
  );
  writeFileSync(join(gateway.directory, `${image}.yaml`), `a: [${script}\n  ${long}: {`);
  await until('the route', async () => (await gateway.get('dead.example.com')).status === 503);
  for (const path of [`/${image}`, `/${script}`, `/${long}`, '/%E2%80%AEevil'])
    await sendRaw(gateway.port, `GET ${path.replaceAll(' ', '%20')} HTTP/1.1\r\nHost: dead.example.com\r\n`);
  await sendTrafficReport(
    gateway.control.ports.xds,
    trafficReport({
      nodeId: `injected`,
      failures: [
        failureReport('httproute/default/dead/rule/0', {
          backend: 'default/dead/80',
          host: `${image}${reversed}`,
          path: `/${script}${unseen}`,
          method: image.slice(0, 30),
          endpoint: script,
          details: `${image}${'d'.repeat(150)}`,
          transportFailure: script,
          requestId: image,
        }),
      ],
    }),
  );
});
test.after.always((t) => t.context.gateway?.stop());

/** Sends the head of a request as it is, and waits for the end of the answer. */
function sendRaw(port: number, head: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}Connection: close\r\n\r\n`));
    socket.resume();
    socket.once('error', reject);
    socket.once('close', () => resolve());
  });
}

/** Each page, what it shows when it is there, and whether text with HTML stands on it. */
const pages: readonly (readonly [string, string, boolean])[] = [
  ['#/', '.problem', true],
  [`#/why?u=${encodeURIComponent(`http://dead.example.com/${image}${long}`)}`, '.answer', false],
  ['#/traffic', '.failure', true],
  ['#/failures', '.failure', true],
  ['#/changes', '.change', true],
  ['#/map', '.map .node', false],
  ['#/routes', '.grid .row', false],
  [`#/routes?q=${encodeURIComponent(image)}`, '.grid, .empty', false],
  [`#/routes/HTTPRoute/default/${longName}`, '.tuning li', true],
  ['#/routes/HTTPRoute/default/lost', '.rules > li', true],
  ['#/routes/HTTPRoute/default/pattern', '.rules > li', true],
  [`#/routes/HTTPRoute/default/${encodeURIComponent(image)}`, '.empty', false],
  ['#/backends', '.grid .row', false],
  ['#/backends/default/dead:80', '.failure', true],
  [`#/gateways/default/edge?x=${encodeURIComponent(script)}`, '.conditions li', false],
  ['#/proxies', '.grid .row', false],
  ['#/certificates', '.empty', false],
  ['#/policies', '.grid .row', false],
  [`#/docs/problems.md?at=${encodeURIComponent(image)}`, '.guide h1', false],
  [`#/${encodeURIComponent(image)}`, 'main .empty', false],
  [`#/edit/HTTPRoute/default/${longName}`, '.report[data-valid]', false],
];

for (const width of every(2, [1280, 320]))
  test.serial(`text of others stays text on every page, ${width} px`, async (t) => {
    t.timeout(600_000);
    const { origin } = t.context;
    const { page, faults } = await openBrowser(t, origin, { width });
    for (const [address, shown, hasMarkup] of pages) {
      await page.goto(`${origin}/${address}`);
      await page.locator(shown).first().waitFor();
      if (hasMarkup) await page.locator('main', { hasText: '<img src=x' }).waitFor();
      t.deepEqual(await harmOn(page), noHarm, address.slice(0, 60));
    }
    t.deepEqual(faults, []);
  });

test.serial('a question to the chat and a search with markup stay text', async (t) => {
  t.timeout(600_000);
  const { origin } = t.context;
  const { page, faults } = await openBrowser(t, origin, { width: 320 });
  await page.goto(`${origin}/#/chat`);
  await page.locator('.mode').waitFor();
  await page
    .locator('main textarea, main input[type="text"]')
    .first()
    .fill(`Why does ${image} fail? ${link} ${reversed}`);
  await page.keyboard.press('Enter');
  await page.locator('main', { hasText: '<img src=x' }).waitFor();
  await page.locator('main [aria-busy="true"]').waitFor({ state: 'detached' });
  t.deepEqual(await harmOn(page), noHarm);
  await page.goto(`${origin}/#/`);
  await page.locator('main .verdict').waitFor();
  await page.keyboard.press('/');
  await page.locator('.palette input:focus').waitFor();
  await page.keyboard.insertText(longName.slice(0, 100));
  await page.locator('.palette li', { hasText: 'yyy' }).first().waitFor();
  t.deepEqual(await harmOn(page), noHarm);
  t.deepEqual(faults, []);
});

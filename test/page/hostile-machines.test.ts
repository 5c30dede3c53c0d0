import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { SqliteStore } from '../../src/addons/ai/store/sqlite-store.ts';
import { aiRule, aiService, credential } from '../support/ai.ts';
import { attempt } from '../support/ai-records.ts';
import { openBrowser } from '../support/browser.ts';
import { endings } from '../support/endings.ts';
import { harmOn, image, link, long, noHarm, reversed, script } from '../support/hostile-text.ts';
import { keyServerAddresses, startKeyServer } from '../support/key-server.ts';
import { loginPolicy, routeTarget } from '../support/login-world.ts';
import { TestProxy } from '../support/replica.ts';
import {
  backendObjects,
  gatewayObjects,
  routeObject,
  type Standalone,
  startStandalone,
} from '../support/standalone.ts';
import { until } from '../support/until.ts';

// What certificates, Envoy, providers of models and providers of logins say is text of others as much as what users write.

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;
const all = endings(test);

/** In a name of a certificate (RFC 2253), where some characters stand behind a backslash. */
const commonName = (text: string): string => `CN=${text.replace(/[<>=,"+;#\\]/g, '\\$&')}`;
/** As long as the name of a Service may be. */
const service = `s${'y'.repeat(62)}`;
const nack = `${image} ${script} ${link} ${reversed} ${long}`;
const types = ['Listener', 'RouteConfiguration', 'ScopedRouteConfiguration'];

/** Usage of a model whose name, and that of the model that answered, came from elsewhere. */
function seedUsage(stateDirectory: string): void {
  const store = new SqliteStore(join(stateDirectory, 'ai-usage.sqlite'));
  const used = { input: 10, output: 5, cached: 0, cacheWrite: 0, reasoning: 0 };
  const shared = { service: 'default/models', route: 'httproute/default/models', usage: used, usageStatus: 'complete' };
  for (const model of [image, `${script}${long}`])
    store.addAttempt(attempt({ ...shared, id: model, at: Date.now(), model, responseModel: script } as object), 'key');
  store.addRequest({
    kind: 'request',
    id: 'hostile',
    node: image,
    at: Date.now(),
    route: 'httproute/default/models',
    model: `${image}${reversed}`,
    stream: false,
    status: 502,
    durationMs: 10,
    firstByteMs: null,
    attempts: 1,
    limited: false,
    errorType: script,
    traceId: null,
    spanId: null,
  });
  store.close();
}

test.before(async (t) => {
  t.timeout(600_000);
  const stateDirectory = mkdtempSync(join(tmpdir(), 'gatewright-state-'));
  all.teardown(() => rmSync(stateDirectory, { recursive: true, force: true }));
  seedUsage(stateDirectory);
  const provider = await startKeyServer(all);
  provider.answer = (_, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ issuer: `https://${image}`, authorization_endpoint: `javascript:${script}` }));
  const gateway = await startStandalone({}, { stateDirectory, allowedAddresses: [...keyServerAddresses] });
  all.teardown(() => gateway.stop());
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
  const authority = await createAuthority(commonName(image).slice('CN='.length));
  const { certificatePem, keyPem } = await authority.issue({
    subject: commonName(`${image}${script}${reversed}`),
    hostnames: [`${'z'.repeat(62)}.example.com`],
    uris: [`javascript:${image.replaceAll(' ', '/')}`],
    emails: [`${script}@example.com`],
  });
  const [gatewayClass, edge] = gatewayObjects(gateway.port) as [object, { spec: { listeners: object[] } }];
  const secure = {
    name: 'secure',
    port: await freePort(),
    protocol: 'HTTPS',
    tls: { certificateRefs: [{ name: 'tls' }] },
  };
  gateway.write(
    'gateway.yaml',
    gatewayClass,
    { ...edge, spec: { ...edge.spec, listeners: [...edge.spec.listeners, secure] } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name: 'tls' },
      stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
    },
  );
  gateway.write(
    'routes.yaml',
    ...backendObjects(service, await freePort()),
    routeObject('long', 'long.example.com', [{ backendRefs: [{ name: service, port: 80 }] }]),
    routeObject('guarded', 'guarded.example.com', [{ backendRefs: [{ name: service, port: 80 }] }]),
    credential('key', 'sk-planted'),
    provider.trust('id-ca'),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'oidc' },
      stringData: { 'client-secret': 'planted-planted' },
    },
    loginPolicy('login', routeTarget('guarded'), provider),
  );
  gateway.write(
    'models.yaml',
    aiService('models', await freePort(), {
      provider: 'openai',
      models: [{ name: image }, { name: 'm', as: `${script}${'m'.repeat(100)}` }],
      auth: { secretRef: { name: 'key' } },
    }),
    routeObject('models', 'models.example.com', [aiRule('models')]),
  );
  await until('the route', async () => (await gateway.get('long.example.com')).status === 503);
  new TestProxy({ teardown: (end: () => Promise<void>) => all.teardown(end) } as never, gateway, {
    nodeId: 'edge-rejecting',
    types: types.map(
      (type) => `type.googleapis.com/envoy.config.${type === 'Listener' ? 'listener' : 'route'}.v3.${type}`,
    ),
    rejects: () => nack,
  });
  await until('the rejection', () =>
    gateway.control.xds.nodes.list().some(({ nodeId, refusals }) => nodeId === 'edge-rejecting' && refusals.length > 0),
  );
});

/** Each page, what it shows when it is there, and what of the texts must stand on it. */
const pages: readonly (readonly [string, string, string])[] = [
  ['#/', '.problem', '<img src=x'],
  ['#/certificates', '.grid .row', '<img src=x'],
  ['#/certificates?q=img', '.grid .row', '<img src=x'],
  ['#/listeners/default.edge.secure', '.conditions li', ''],
  ['#/proxies', '.grid .row', ''],
  ['#/proxies/edge-rejecting', '.conditions li', '<img src=x'],
  ['#/changes', '.refused', '<img src=x'],
  ['#/backends', '.grid .row', service],
  [`#/backends/default/${service}:80`, '.endpoints li', service],
  ['#/map', '.map .node', ''],
  ['#/traffic?by=backend', '.grid .row', service],
  ['#/ai', '[data-cost-of]', '<img src=x'],
  ['#/routes/HTTPRoute/default/guarded', '.rules > li', '<img src=x'],
  ['#/why?u=guarded.example.com', '.answer', ''],
];

for (const width of [1280, 320])
  test.serial(`what machines say stays text, ${width} px`, async (t) => {
    t.timeout(600_000);
    const { origin } = t.context;
    const { page, faults } = await openBrowser(t, origin, { width });
    for (const [address, shown, text] of pages) {
      await page.goto(`${origin}/${address}`);
      await page.locator(shown).first().waitFor();
      if (text !== '') await page.locator('main', { hasText: text }).waitFor();
      if (process.env.PAGE_SHOTS)
        await page.screenshot({
          path: join(process.env.PAGE_SHOTS, `h${width}-${address.replace(/\W/g, '_').slice(0, 40)}.png`),
          fullPage: true,
        });
      t.deepEqual(await harmOn(page), noHarm, address.slice(0, 60));
    }
    t.deepEqual(faults, []);
  });

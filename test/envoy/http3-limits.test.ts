import test from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { sendHttp3 } from '../../scripts/example/http3.ts';
import { freePort } from '../../scripts/free-port.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { startStandalone } from '../support/standalone.ts';
import { askTls } from '../support/tls-ask.ts';
import { unseenGroups } from '../support/traffic-groups.ts';
import { untilFits } from '../support/until.ts';

const group = 'gateway.networking.k8s.io';
const own = (kind: string, name: string, target: object, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind,
  metadata: { name },
  spec: { targetRefs: [{ group, ...target }], ...spec },
});
const edge = { kind: 'Gateway', name: 'edge' };
const counted = (more: object) => ({
  ...more,
  buckets: [{ name: 'users', key: [{ type: 'Identity' }], limits: [{ requests: 2, per: '1h' }] }],
});

const script = (name: string): string =>
  `function envoy_on_response(handle) handle:headers():replace("x-${name}", "1") end`;

/** Who asks, by which protocol, and what a bucket of two requests lets through: all proxies together count both, a proxy by itself each. */
const asked = [
  { by: 'http3', key: 'a', proxy: 200, shared: 200 },
  { by: 'http3', key: 'a', proxy: 200, shared: 200 },
  { by: 'http3', key: 'a', proxy: 429, shared: 429 },
  { by: 'tcp', key: 'a', proxy: 200, shared: 429 },
  { by: 'tcp', key: 'a', proxy: 200, shared: 429 },
  { by: 'tcp', key: 'a', proxy: 429, shared: 429 },
  { by: 'http3', key: 'b', proxy: 200, shared: 200 },
  { by: 'tcp', key: 'b', proxy: 200, shared: 200 },
  { by: 'tcp', key: 'b', proxy: 200, shared: 429 },
] as const;

test('a user has one bucket of a shared limit by HTTP/3 and TCP, and two where a proxy counts, on a late host with all slots full', async (t) => {
  t.timeout(300_000);
  const port = await freePort();
  const authority = await createAuthority('ours');
  const counting = ['proxy', 'shared'] as const;
  const hostnames = [...counting, 'once'].map((name) => `a.${name}.test`);
  const held: (() => void)[] = [];
  const holding = await startBackend(t, (_, response) => held.push(() => response.end()));
  const { certificatePem, keyPem } = await authority.issue({ hostnames });
  const secret = (name: string, more: object) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...more });
  const world = await startStandalone({}, { config: { extensions: { lua: true, wasm: false, wasmMaxMiB: 16 } } });
  t.teardown(world.stop);
  const [gatewayClass] = world.gatewayObjects;
  const routeOf = (name: string, to = 'web') => ({
    apiVersion: `${group}/v1`,
    kind: 'HTTPRoute',
    metadata: { name },
    spec: {
      parentRefs: [{ name: 'edge' }],
      hostnames: [`*.${name}.test`],
      rules: [{ backendRefs: [{ name: to, port: 80 }] }],
    },
  });
  world.write(
    'gateway.yaml',
    gatewayClass as object,
    {
      apiVersion: `${group}/v1`,
      kind: 'Gateway',
      metadata: { name: 'edge' },
      spec: {
        gatewayClassName: 'gatewright',
        listeners: [{ name: 'web', port, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'web' }] } }],
      },
    },
    secret('web', { type: 'kubernetes.io/tls', stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem } }),
    secret('keys', {
      metadata: { name: 'keys', labels: { 'gatewright.dev/credentials': 'true' } },
      stringData: { ann: 'a', bob: 'b' },
    }),
    own('ListenerPolicy', 'http3', edge, { http3: { enabled: true } }),
    own('AccessPolicy', 'keys', edge, { apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }] } }),
    own('RateLimitPolicy', 'proxy', { kind: 'HTTPRoute', name: 'proxy' }, counted({})),
    own('RateLimitPolicy', 'shared', { kind: 'HTTPRoute', name: 'shared' }, counted({ counting: 'Shared' })),
    own('RateLimitPolicy', 'once', { kind: 'HTTPRoute', name: 'once' }, { buckets: [{ name: 'once', concurrent: 1 }] }),
    ...serviceObjects('holding', [holding.port]),
    routeOf('once', 'holding'),
    routeOf('proxy'),
    routeOf('shared'),
    own('TrafficPolicy', 'all', edge, unseenGroups),
    ...['one', 'two'].map((name) => own('ExtensionPolicy', name, edge, { lua: { inline: script(name) } })),
    ...(await world.backend('web')),
  );
  const ca = authority.certificatePem;
  const ask = {
    http3: (host: string, key: string) => sendHttp3({ host, port, ca, headers: { 'x-key': key } }),
    tcp: (host: string, key: string) => askTls(port, { host, headers: { 'x-key': key } }),
  };
  for (const [by, asking] of Object.entries(ask))
    await untilFits(
      `keys to be asked for by ${by}`,
      async () => (await asking('a.shared.test', 'wrong').catch(() => undefined))?.status,
      (status) => status === 401,
    );
  for (const name of counting)
    for (const [at, { by, key, ...expected }] of asked.entries()) {
      const { status, headers } = await ask[by](`a.${name}.test`, key);
      t.is(status, expected[name], `${name} ${at}`);
      if (status === 200) t.like(headers, { 'x-one': '1', 'x-two': '1' });
    }
  const first = ask.http3('a.once.test', 'a');
  await untilFits(
    'it to be under way',
    async () => held.length,
    (count) => count === 1,
  );
  t.is((await ask.tcp('a.once.test', 'b')).status, 429, 'one at once, by whichever protocol');
  held[0]?.();
  t.is((await first).status, 200);
});

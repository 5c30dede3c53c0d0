import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { issue } from '../support/certificates.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { askTls } from '../support/tls-ask.ts';
import { until } from '../support/until.ts';

/** HTTPS listeners that share a port, of which one has a policy: over its connections hosts of the others are asked for, and made-up ones. */

const api = 'gateway.networking.k8s.io/v1';

const listener = (port: number, name: string, hostname: string) => ({
  name,
  port,
  protocol: 'HTTPS',
  hostname,
  tls: { certificateRefs: [{ name: 'edge-tls' }] },
});

const gateway = (listeners: readonly object[]): object => ({
  apiVersion: api,
  kind: 'Gateway',
  metadata: { name: 'edge' },
  spec: { gatewayClassName: 'gatewright', listeners },
});

test('a listener’s demand is met by its own hosts and unknown ones, whatever they are spelt like, and not by hosts of other listeners', async (t) => {
  const [port, web, { certificate, key }] = [await freePort(), await startBackend(t), await issue('*.shop.test')];
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const listeners = [
    listener(port, 'shop', '*.shop.test'),
    listener(port, 'pay', 'pay.shop.test'),
    listener(port, 'more', '*.more.test'),
  ];
  const standalone = await startStandalone({
    'gateway.yaml': [
      {
        apiVersion: api,
        kind: 'GatewayClass',
        metadata: { name: 'gatewright' },
        spec: { controllerName: 'gatewright.dev/gateway-controller' },
      },
      gateway(listeners),
    ],
    'secret.yaml': [
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name: 'edge-tls' },
        data: { 'tls.crt': base64(certificate), 'tls.key': base64(key) },
      },
    ],
    'web.yaml': [
      ...serviceObjects('web', [web.port]),
      {
        apiVersion: api,
        kind: 'HTTPRoute',
        metadata: { name: 'web' },
        spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] },
      },
    ],
    'policy.yaml': [
      {
        apiVersion: 'gatewright.dev/v1alpha1',
        kind: 'AccessPolicy',
        metadata: { name: 'shop' },
        spec: {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', sectionName: 'shop' }],
          clientIPs: { allow: ['10.0.0.0/8'] },
        },
      },
    ],
  });
  t.teardown(() => standalone.stop());
  const ask = async (sni: string, host: string) => (await askTls(port, { sni, host })).status;
  await until('the other listener to serve', () =>
    ask('pay.shop.test', 'pay.shop.test').then(
      (status) => status === 200,
      () => false,
    ),
  );
  const expected: Readonly<Record<string, number>> = {
    'a.shop.test': 403,
    'A.SHOP.TEST': 403,
    'a.shop.test:1234': 403,
    'pay.shop.test': 421,
    'PAY.shop.test:443': 421,
    'x.more.test': 421,
    'unknown.test': 403,
    // As virtual hosts of other listeners are called: such a Host is none.
    'a.shop.test.~misdirected': 400,
    'pay.shop.test.~misdirected': 400,
    'x.~misdirected': 400,
    '*.~misdirected': 400,
    '~misdirected': 400,
  };
  const check = async (more: Readonly<Record<string, number>> = {}) => {
    for (const [host, status] of Object.entries({ ...expected, ...more }))
      t.is(await ask('a.shop.test', host), status, host);
  };
  await check({ 'b.late.test': 403 });
  standalone.write('gateway.yaml', gateway([...listeners, listener(port, 'late', '*.late.test')]), {
    apiVersion: api,
    kind: 'GatewayClass',
    metadata: { name: 'gatewright' },
    spec: { controllerName: 'gatewright.dev/gateway-controller' },
  });
  await until('a new listener’s hosts to be its own', async () => (await ask('a.shop.test', 'b.late.test')) === 421);
  await until('all to be applied', () => isCurrent(standalone));
  await check();
});

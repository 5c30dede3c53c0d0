import test from 'ava';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const policy = (name: string, target: object, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], ...spec },
});

const to = { backendRefs: [{ name: 'web', port: 80 }] };
const edge = { kind: 'Gateway', name: 'edge' };
const page = 'https://app.test';
/** With a part that no preflight could meet. */
const ofGateway = {
  cors: { allowOrigins: [page, 'https://*.corp.test'], allowMethods: ['GET', 'PUT'], allowCredentials: true },
  basicAuth: { secretRef: { name: 'users' } },
};
const ann = { authorization: `Basic ${Buffer.from('ann:secret').toString('base64')}` };

test('CORS of a Gateway: preflights are answered before anything is demanded, on hosts found at once and late', async (t) => {
  const web = await startBackend(t);
  const policies = (cors: object) => [
    policy('gateway', edge, { ...ofGateway, ...cors }),
    policy('route', { kind: 'HTTPRoute', name: 'other' }, { cors: { allowOrigins: ['https://partner.test'] } }),
  ];
  const gateway = await startStandalone({
    'routes.yaml': [
      ...serviceObjects('web', [web.port]),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'users' },
        stringData: { '.htpasswd': 'ann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=' },
      },
      routeObject('exact', 'a.test', [
        { matches: [{ method: 'GET' }], ...to },
        { matches: [{ method: 'PUT' }], ...to },
      ]),
      routeObject('late', '*.wild.test', [to]),
      routeObject('other', 'other.test', [to]),
    ],
    'policies.yaml': policies({}),
  });
  t.teardown(() => gateway.stop());
  const preflight = (host: string, origin: string, method = 'PUT') =>
    send(gateway.port, { host, method: 'OPTIONS', headers: { origin, 'access-control-request-method': method } });
  const allowed = async (host: string, origin: string) =>
    (await preflight(host, origin)).headers['access-control-allow-origin'];
  await until('the policy to hold', async () => (await allowed('a.test', page)) === page);
  for (const host of ['a.test', 'A.TEST', 'b.wild.test']) {
    const { status, headers } = await preflight(host, page);
    t.is(status, 200, host);
    t.is(headers['access-control-allow-origin'], page, host);
    t.is(headers['access-control-allow-credentials'], 'true');
    t.is(headers['access-control-allow-methods'], 'GET, PUT');
    t.is(await allowed(host, 'https://x.corp.test'), 'https://x.corp.test');
    for (const stranger of [
      'https://evil.test',
      'http://app.test',
      'https://app.test.evil.test',
      'null',
      'https://corp.test',
    ])
      t.is(await allowed(host, stranger), undefined, `${host}: ${stranger}`);
    const denied = await send(gateway.port, { host, headers: { origin: page } });
    t.deepEqual([denied.status, denied.headers['access-control-allow-origin']], [401, page], 'a page may read that');
    const { status: got, headers: answer } = await send(gateway.port, { host, headers: { origin: page, ...ann } });
    t.deepEqual([got, answer['access-control-allow-origin']], [200, page], host);
    const { headers: strange } = await send(gateway.port, { host, headers: { origin: 'https://evil.test', ...ann } });
    t.is(strange['access-control-allow-origin'], undefined, host);
  }
  t.is(await allowed('other.test', 'https://partner.test'), 'https://partner.test');
  t.is(await allowed('other.test', page), undefined, 'the most specific applies alone');
  t.is(web.requests.length, 6, 'no preflight reaches a backend');

  gateway.write('policies.yaml', ...policies({ cors: { allowOrigins: ['https://new.test'] } }));
  await until('the change', async () => (await allowed('b.wild.test', 'https://new.test')) === 'https://new.test');
  await until('the change', async () => (await allowed('a.test', 'https://new.test')) === 'https://new.test');
  t.is(await allowed('a.test', page), undefined);
  t.is((await send(gateway.port, { host: 'a.test', headers: { origin: 'https://new.test' } })).status, 401);
});

import test from 'ava';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
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

thorough(test)(
  'CORS of a Gateway: preflights are answered before anything is demanded, on hosts found at once and late',
  async (t) => {
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
  },
);

test('CORS of listeners and ListenerSets: the most specific applies alone, and an empty one permits nothing', async (t) => {
  const web = await startBackend(t);
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const listener = (name: string) => ({ name, port: gateway.port, protocol: 'HTTP', hostname: `${name}.test` });
  const [gatewayClass] = gateway.gatewayObjects;
  const [set, api] = [{ kind: 'ListenerSet', name: 'team' }, 'gateway.networking.k8s.io/v1'];
  const parent = (ref: object) => ({ apiVersion: api, kind: 'HTTPRoute', spec: { parentRefs: [ref], rules: [to] } });
  gateway.write(
    'gateway.yaml',
    gatewayClass as object,
    {
      apiVersion: api,
      kind: 'Gateway',
      metadata: { name: 'edge' },
      spec: {
        gatewayClassName: 'gatewright',
        listeners: ['a', 'b', 'c'].map(listener),
        allowedListeners: { namespaces: { from: 'All' } },
      },
    },
    {
      apiVersion: api,
      kind: 'ListenerSet',
      metadata: { name: 'team' },
      spec: { parentRef: { name: 'edge' }, listeners: ['d', 'e'].map(listener) },
    },
    ...serviceObjects('web', [web.port]),
    { ...parent({ name: 'edge' }), metadata: { name: 'own' } },
    { ...parent({ ...set, group: 'gateway.networking.k8s.io' }), metadata: { name: 'team' } },
  );
  const origin = (name: string) => `https://${name}.example`;
  const allow = (name: string) => ({ cors: { allowOrigins: [origin(name)] } });
  const policies = (ofSet: string) => [
    policy('gateway', edge, allow('gateway')),
    policy('b', { ...edge, sectionName: 'b' }, allow('b')),
    policy('c', { ...edge, sectionName: 'c' }, { cors: {} }),
    policy('set', set, allow(ofSet)),
    policy('e', { ...set, sectionName: 'e' }, allow('e')),
  ];
  gateway.write('policies.yaml', ...policies('set'));
  const origins = ['gateway', 'b', 'set', 'e', 'new'].map(origin);
  const permitted = async (host: string): Promise<string[]> => {
    const asked = origins.map(async (each) => {
      const headers = { origin: each, 'access-control-request-method': 'GET' };
      const answer = await send(gateway.port, { host, method: 'OPTIONS', headers });
      return answer.headers['access-control-allow-origin'] ?? [];
    });
    return (await Promise.all(asked)).flat();
  };
  await until('the policies to hold', async () => (await permitted('e.test')).includes(origin('e')));
  t.deepEqual(await permitted('a.test'), [origin('gateway')]);
  t.deepEqual(await permitted('b.test'), [origin('b')]);
  t.deepEqual(await permitted('c.test'), []);
  t.deepEqual(await permitted('d.test'), [origin('set')]);
  t.deepEqual(await permitted('e.test'), [origin('e')]);

  gateway.write('policies.yaml', ...policies('new'));
  await until('the change', async () => (await permitted('d.test')).includes(origin('new')));
  t.deepEqual(await permitted('d.test'), [origin('new')]);
  t.deepEqual(await permitted('e.test'), [origin('e')]);
});

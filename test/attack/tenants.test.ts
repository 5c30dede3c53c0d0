import { connect } from 'node:tls';
import anyTest, { type TestFn } from 'ava';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { aiService, ask, chat, credential } from '../support/ai.ts';
import { endings } from '../support/endings.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { type Standalone, startStandalone } from '../support/standalone.ts';
import { listenersOn } from '../support/tcp-sockets.ts';
import { untilFits } from '../support/until.ts';

// A tenant may write every kind of object in the namespace `mal`, and nothing in `infra`, whose Gateway takes routes from all namespaces.

interface World {
  readonly gateway: Standalone;
  readonly port: number;
  /** Of the tenant's own Gateway, and of a listener that it would add to the other. */
  readonly tenantPort: number;
  readonly addedPort: number;
  /** What is infra's own: nothing of the tenant's gets here. */
  readonly victim: CountingBackend;
  readonly tenant: CountingBackend;
}

const test = anyTest as TestFn<World>;
const all = endings(test);

const core = { apiVersion: 'gateway.networking.k8s.io/v1' } as const;
const ours = { apiVersion: 'gatewright.dev/v1alpha1' } as const;
const inside = (namespace: string, ...objects: readonly object[]): object[] =>
  objects.map((object) => {
    const { metadata = {}, ...rest } = object as { readonly metadata?: object };
    return { ...rest, metadata: { ...metadata, namespace } };
  });

const route = (name: string, rule: object): object => ({
  ...core,
  kind: 'HTTPRoute',
  metadata: { name },
  spec: { parentRefs: [{ name: 'edge', namespace: 'infra' }], hostnames: [`${name}.test`], rules: [rule] },
});
const own = [{ name: 'own', port: 80 }];
const theirs = { name: 'web', namespace: 'infra', port: 80 };
const byAsking = (protocol: 'HTTP' | 'GRPC') => ({
  type: 'ExternalAuth',
  externalAuth: { protocol, backendRef: theirs, [protocol.toLowerCase()]: {} },
});

const mirroring = {
  filters: [{ type: 'RequestMirror', requestMirror: { backendRef: theirs } }],
  backendRefs: own,
};

/** A route's name, and its rule. */
const reaching: readonly (readonly [name: string, rule: object])[] = [
  ['backend', { backendRefs: [theirs] }],
  [
    'share',
    {
      backendRefs: [
        { ...theirs, weight: 1 },
        { ...own[0], weight: 0 },
      ],
    },
  ],
  ['http-auth', { filters: [byAsking('HTTP')], backendRefs: own }],
  ['grpc-auth', { filters: [byAsking('GRPC')], backendRefs: own }],
  ['models', { backendRefs: [{ group: 'gatewright.dev', kind: 'AIService', name: 'openai', namespace: 'infra' }] }],
  ['import', { backendRefs: [{ ...theirs, group: 'multicluster.x-k8s.io', kind: 'ServiceImport' }] }],
  [
    'xbackend',
    { backendRefs: [{ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name: 'far', namespace: 'infra' }] },
  ],
];

const infraImport = [
  {
    apiVersion: 'multicluster.x-k8s.io/v1alpha1',
    kind: 'ServiceImport',
    metadata: { name: 'web' },
    spec: { type: 'ClusterSetIP', ports: [{ port: 80 }] },
  },
];

const importedSlice = (port: number) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'web-imported', labels: { 'multicluster.kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ port }],
  endpoints: [{ addresses: ['127.0.0.1'] }],
});

const certificateSecret = async (name: string): Promise<object> => {
  const { certificatePem, keyPem } = await issueCertificate([`${name}.test`]);
  const stringData = { 'tls.crt': certificatePem, 'tls.key': keyPem };
  return { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: { name }, stringData };
};

test.before(async (t) => {
  const [victim, tenant] = [await startBackend(all), await startBackend(all)];
  const gateway = await startStandalone({}, { allowedAddresses: ['127.0.0.1/32'] });
  all.teardown(() => gateway.stop());
  const [port, tenantPort, addedPort] = [await freePort(), await freePort(), await freePort()];
  const [gatewayClass] = gateway.gatewayObjects;
  const listener = { name: 'http', port, protocol: 'HTTP', allowedRoutes: { namespaces: { from: 'All' } } };
  gateway.write(
    'gateway.yaml',
    gatewayClass as object,
    ...['infra', 'mal'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    ...inside(
      'infra',
      {
        ...core,
        kind: 'Gateway',
        metadata: { name: 'edge' },
        spec: { gatewayClassName: 'gatewright', listeners: [listener] },
      },
      await certificateSecret('infra'),
      credential('key', 'MARK-INFRA-KEY'),
      aiService('openai', victim.port, {
        provider: 'openai',
        models: [{ name: 'gpt-4o' }],
        auth: { secretRef: { name: 'key' } },
      }),
      ...serviceObjects('web', [victim.port]),
      ...infraImport,
      importedSlice(victim.port),
      route('web', { backendRefs: [{ name: 'web', port: 80 }] }),
    ),
  );
  const https = {
    name: 'https',
    port: tenantPort,
    protocol: 'HTTPS',
    tls: { certificateRefs: [{ name: 'infra', namespace: 'infra' }] },
  };
  const edge = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', namespace: 'infra' };
  gateway.write(
    'tenant.yaml',
    ...inside(
      'mal',
      ...serviceObjects('own', [tenant.port]),
      ...reaching.map(([name, rule]) => route(name, rule)),
      route('mirror', mirroring),
      ...serviceObjects('empty', []),
      route('failover', { backendRefs: [{ name: 'empty', port: 80 }] }),
      route('control', { backendRefs: own }),
      {
        ...core,
        kind: 'Gateway',
        metadata: { name: 'malgw' },
        spec: { gatewayClassName: 'gatewright', listeners: [https] },
      },
      {
        ...core,
        kind: 'ListenerSet',
        metadata: { name: 'more' },
        spec: { parentRef: edge, listeners: [{ name: 'added', port: addedPort, protocol: 'HTTP' }] },
      },
      {
        ...core,
        kind: 'BackendTLSPolicy',
        metadata: { name: 'web' },
        spec: {
          targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
          validation: { hostname: 'evil.test', wellKnownCACertificates: 'System' },
        },
      },
      {
        ...ours,
        kind: 'BackendPolicy',
        metadata: { name: 'web' },
        spec: { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], circuitBreaker: { maxRequests: 1 } },
      },
      {
        ...ours,
        kind: 'BackendPolicy',
        metadata: { name: 'empty' },
        spec: { targetRefs: [{ group: '', kind: 'Service', name: 'empty' }], failover: { backendRefs: [theirs] } },
      },
      {
        ...ours,
        kind: 'ListenerPolicy',
        metadata: { name: 'edge' },
        spec: { targetRefs: [{ group: edge.group, kind: edge.kind, name: edge.name }], limits: { maxConnections: 1 } },
      },
    ),
  );
  t.context = { gateway, port, tenantPort, addedPort, victim, tenant };
  for (const name of ['web', 'control']) {
    const answer = () => send(port, { host: `${name}.test` });
    await untilFits(`${name}.test to be served`, answer, ({ status }) => status === 200);
  }
});

const statusOf = ({ gateway }: World, kind: Parameters<Standalone['control']['graph']['statusOf']>[0], key: string) =>
  JSON.stringify(gateway.control.graph.statusOf(kind, key) ?? {});

for (const [name] of reaching) {
  test(`a tenant's route that names infra's own (${name}) is rejected: 500, and no request gets there`, async (t) => {
    const { port, victim, tenant } = t.context;
    const path = `/reach-${name}`;
    const { status } = await send(port, { host: `${name}.test`, path });
    t.is(status, 500);
    t.regex(statusOf(t.context, 'HTTPRoute', `mal/${name}`), /RefNotPermitted/);
    t.is((await send(port, { host: 'web.test', path: `${path}-after` })).status, 200);
    t.true(victim.requests.includes(`${path}-after`));
    t.false([...victim.requests, ...tenant.requests].includes(path));
  });
}

test("a tenant's route that mirrors to infra's own sends no copy there", async (t) => {
  const { port, victim } = t.context;
  t.is((await send(port, { host: 'mirror.test', path: '/copied' })).status, 200);
  t.regex(statusOf(t.context, 'HTTPRoute', 'mal/mirror'), /RefNotPermitted/);
  t.is((await send(port, { host: 'web.test', path: '/behind-the-copy' })).status, 200);
  t.true(victim.requests.includes('/behind-the-copy'));
  t.false(victim.requests.includes('/copied'));
});

test("a tenant's Service that fails over to infra's sends nothing there: 503", async (t) => {
  const { port, victim } = t.context;
  t.is((await send(port, { host: 'failover.test', path: '/failed-over' })).status, 503);
  t.regex(statusOf(t.context, 'BackendPolicy', 'mal/empty'), /RefNotPermitted/);
  t.is((await send(port, { host: 'web.test', path: '/behind-the-failover' })).status, 200);
  t.true(victim.requests.includes('/behind-the-failover'));
  t.false(victim.requests.includes('/failed-over'));
});

test("a tenant's route to infra's models learns nothing of them, and no key is used for it", async (t) => {
  const { port, victim } = t.context;
  const answer = await ask(port, { host: 'models.test', body: chat('gpt-4o') });
  t.is(answer.status, 500);
  t.notRegex(answer.text, /gpt-4o|openai/);
  t.false(JSON.stringify(victim.seen).includes('MARK-INFRA-KEY'));
});

test("a tenant's Gateway gets no certificate of another namespace, and its proxies get no key", async (t) => {
  const { gateway, tenantPort } = t.context;
  t.regex(statusOf(t.context, 'Gateway', 'mal/malgw'), /RefNotPermitted/);
  const handshake = new Promise<string>((resolve) => {
    const socket = connect({
      port: tenantPort,
      host: '127.0.0.1',
      servername: 'infra.test',
      rejectUnauthorized: false,
    });
    socket.once('secureConnect', () => resolve('a certificate'));
    socket.once('error', () => resolve('none'));
    socket.once('close', () => resolve('none'));
  });
  t.is(await handshake, 'none');
  const { secrets } = gateway.control.graph.snapshot()?.gateways.get('mal/malgw') ?? {};
  t.is(secrets?.size ?? 0, 0);
});

test("a tenant's ListenerSet opens no port on a Gateway that takes none", (t) => {
  t.regex(statusOf(t.context, 'ListenerSet', 'mal/more'), /NotAllowed/);
  t.is(listenersOn(t.context.addedPort), 0);
});

test("a tenant's policies that name objects of infra hold for none of them", async (t) => {
  const { port } = t.context;
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(port, { host: 'web.test', path: '/many' })));
  t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  for (const [kind, key] of [
    ['BackendTLSPolicy', 'mal/web'],
    ['BackendPolicy', 'mal/web'],
    ['ListenerPolicy', 'mal/edge'],
  ] as const)
    t.notRegex(statusOf(t.context, kind, key), /"Accepted","status":"True"|infra/);
});

test('what infra grants, and only that, is permitted', async (t) => {
  const { gateway, port, victim } = t.context;
  gateway.write('grant.yaml', {
    apiVersion: 'gateway.networking.k8s.io/v1beta1',
    kind: 'ReferenceGrant',
    metadata: { name: 'for-granted', namespace: 'infra' },
    spec: {
      from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'lent' }],
      to: [{ group: '', kind: 'Service', name: 'web' }],
    },
  });
  gateway.write('lent.yaml', ...inside('lent', route('lent', { backendRefs: [theirs] })));
  const answer = () => send(port, { host: 'lent.test', path: '/lent' });
  await untilFits('lent.test to be served', answer, ({ status }) => status === 200);
  t.true(victim.requests.includes('/lent'));
  t.is((await send(port, { host: 'backend.test' })).status, 500, 'another namespace is not lent to');
});

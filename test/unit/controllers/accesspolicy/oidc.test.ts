import test from 'ava';
import type { PolicyStatus } from '../../../../src/gateway-api/index.ts';
import type * as ir from '../../../../src/ir/index.ts';
import { keptConfigMap, keysName, loginHmac, loginSessionId } from '../../../../src/key-sets/index.ts';
import { testCertificates } from '../../../support/certificates.ts';
import { gateway, gatewayClass, httpRoute, ownObject, secret, service } from '../../../support/objects.ts';
import { type AnyObject, newGraph, put, someTime } from '../../../support/world.ts';

const [good] = testCertificates;
const endpoints = { authorization: 'https://id.example.com/auth', token: 'https://id.example.com:8443/token' };
const client = { id: 'gw', secretRef: { name: 'oidc' } };
const own = { namespace: 'gatewright-system' };
const key = (text = 'k'.repeat(32)) => secret('gatewright-login-key', { 'login.key': text }, own);
const group = 'gateway.networking.k8s.io';

const policy = (name: string, oidc: object, more: object = {}, target: object = { kind: 'HTTPRoute', name: 'a' }) =>
  ownObject('AccessPolicy', name, { targetRefs: [{ group, ...target }], oidc: { client, ...oidc }, ...more });

/** A Gateway with a route, and what a policy comes to there. */
function world(...objects: readonly AnyObject[]) {
  const graph = newGraph();
  const tls = { certificateRefs: [{ name: 'cert' }] };
  put(
    graph,
    gatewayClass(),
    secret('cert', { 'tls.crt': good.certificate, 'tls.key': good.key }),
    gateway('edge', [{ name: 'https', port: 443, protocol: 'HTTPS', tls }] as never),
    service('web'),
    httpRoute('a', { hostnames: ['a.test'] }),
    secret('oidc', { 'client-secret': 's3cret' }),
    key(),
    ...objects,
  );
  graph.build(someTime);
  const routes = (): readonly ir.Route[] =>
    [...(graph.snapshot()?.gateways.get('default/edge')?.tables.values() ?? [])].flatMap(({ exact }) =>
      [...exact.values()].flatMap((host) => host.routes),
    );
  return {
    graph,
    routes,
    access: () => routes().find(({ id }) => !id.includes('/login/'))?.rule.filters?.access?.route,
    conditions: (name = 'p') => {
      const status = graph.statusOf('AccessPolicy', `default/${name}`) as Partial<PolicyStatus> | undefined;
      return (status?.ancestors ?? [])
        .flatMap((one) => one.conditions.map((each) => `${each.type}=${each.status} ${each.reason} ${each.message}`))
        .join('; ');
    },
    backends: () => [...(graph.snapshot()?.backends.values() ?? [])].filter(({ login }) => login),
  };
}

test('a policy comes to a login, a backend for it, and routes for the callback and for logging out', (t) => {
  const { access, routes, backends, conditions } = world(policy('p', { endpoints, logout: { path: '/out' } }));
  t.like(access()?.oidc, {
    session: 'default/p/8443/login',
    server: 'default/p/8443/login',
    endpoints,
    clientId: 'gw',
    scopes: ['openid'],
    redirectPath: '/oauth2/callback',
    forward: { accessToken: false, cookies: false },
  });
  t.regex(access()?.oidc?.cookies.prefix ?? '', /^__Host-gw-[0-9a-f]{16}-$/);
  t.deepEqual(
    routes()
      .filter(({ id }) => id.includes('/login/'))
      .map(({ match, rule }) => [match.path.value, rule.action.kind, rule.filters?.access?.route?.oidc !== undefined]),
    [
      ['/oauth2/callback', 'respond', true],
      ['/out', 'respond', true],
    ],
  );
  const [backend] = backends();
  t.like(backend, { hostname: 'id.example.com', port: 8443, tls: { serverName: 'id.example.com' } });
  t.is(Buffer.from(backend?.login?.client.reveal() ?? '').toString(), 's3cret');
  t.regex(conditions(), /Accepted=True .*ResolvedRefs=True/);
  t.notRegex(JSON.stringify(backends()), /s3cret/);
});

const wrong: Readonly<
  Record<string, readonly [oidc: object, condition: RegExp, status: 'closed' | 'late', more?: object]>
> = {
  'a Secret that is not there': [
    { endpoints, client: { id: 'gw', secretRef: { name: 'none' } } },
    /ResolvedRefs=False SecretNotFound .*answered 500/,
    'closed',
  ],
  'a Secret of another namespace': [
    { endpoints, client: { id: 'gw', secretRef: { name: 'oidc', namespace: 'other' } } },
    /ResolvedRefs=False RefNotPermitted/,
    'closed',
  ],
  'an entry that is not there': [
    { endpoints, client: { id: 'gw', secretRef: { name: 'oidc', key: 'other' } } },
    /InvalidSecret Secret default\/oidc has no entry other \(.*label/,
    'closed',
  ],
  'a document that was not fetched': [
    { issuer: 'https://id.example.com' },
    /ResolvedRefs=False KeysNotFetched .*answered 503/,
    'late',
  ],
  'an issuer that no one may ask': [
    { issuer: 'https://169.254.169.254' },
    /HostnameNotAllowed oidc.issuer .*answered 500/,
    'closed',
  ],
  'a token endpoint of the cluster': [
    { endpoints: { ...endpoints, token: 'https://web.other.svc.cluster.local/token' } },
    /HostnameNotAllowed .*token endpoint/,
    'closed',
  ],
  'an endpoint by plain HTTP': [
    { endpoints: { ...endpoints, token: 'http://id.example.com/token' } },
    /Accepted=False Invalid oidc.endpoints.token is no https URL/,
    'closed',
  ],
  'authorities that are not there': [
    { endpoints, caCertificateRefs: [{ name: 'none' }] },
    /ResolvedRefs=False InvalidCACertificateRef/,
    'closed',
  ],
  'a Service that is not there': [
    { endpoints, backendRef: { name: 'none', port: 80 } },
    /ResolvedRefs=False BackendNotFound/,
    'closed',
  ],
  'a path out of the way': [{ endpoints, redirectPath: '/a/../b' }, /Invalid oidc.redirectPath/, 'closed'],
  'one path for both': [
    { endpoints, redirectPath: '/a', logout: { path: '/a' } },
    /Invalid oidc.logout.path/,
    'closed',
  ],
  'a URL on another domain': [
    { endpoints, redirectURL: 'https://auth.evil.test/cb', cookies: { domain: 'a.test' } },
    /Invalid oidc.redirectURL is on no host/,
    'closed',
  ],
  'a header of proxies': [
    { endpoints, forward: { idTokenHeader: 'x-forwarded-user' } },
    /Invalid oidc.forward.idTokenHeader/,
    'closed',
  ],
  'requests without a login that no token is demanded of': [
    { endpoints, passThrough: [{ header: { name: 'authorization' } }] },
    /Invalid oidc.passThrough leaves requests to jwt/,
    'closed',
  ],
};

for (const [what, [oidc, condition, state]] of Object.entries(wrong)) {
  test(`${what} lets no request in, and the status says so`, (t) => {
    const { access, conditions, backends } = world(policy('p', oidc));
    t.deepEqual(access(), { closed: ['oidc'], ...(state === 'late' && { unavailable: ['oidc'] }) });
    t.regex(conditions(), condition);
    t.deepEqual(backends(), []);
  });
}

for (const [what, object, message] of [
  ['no key', undefined, /LoginKeyMissing .*is not there yet.*answered 503/],
  ['a short key', key('short'), /LoginKeyMissing .*fewer than 32 bytes/],
] as const) {
  test(`with ${what} of logins no user logs in, and with one all do`, (t) => {
    const { graph, access, conditions } = world(policy('p', { endpoints }));
    if (object) put(graph, object);
    else graph.remove('Secret', 'gatewright-system/gatewright-login-key');
    graph.build(someTime);
    t.deepEqual(access(), { closed: ['oidc'], unavailable: ['oidc'] });
    t.regex(conditions(), message);
    put(graph, key('another key of thirty-two bytes!'));
    graph.build(someTime);
    t.truthy(access()?.oidc);
  });
}

test('what a document says is taken when it comes, and what a changed one says after it', (t) => {
  const issuer = 'https://id.example.com';
  const { graph, access } = world(policy('p', { issuer }));
  const name = keysName({ place: { kind: 'discovery', issuer }, authorities: [] });
  const kept = (token: string) =>
    keptConfigMap(
      { namespace: 'gatewright-system', name, source: issuer },
      { keys: '{"keys":[]}', discovered: { authorization: endpoints.authorization, token } },
      {},
    ) as unknown as AnyObject;
  put(graph, kept('https://tokens.example.com/t'));
  graph.build(someTime);
  t.is(access()?.oidc?.server, 'default/p/443/login');
  t.is(graph.snapshot()?.backends.get('default/p/443/login')?.hostname, 'tokens.example.com');
  put(graph, kept('https://other.example.com/t'));
  graph.build(someTime);
  t.is(graph.snapshot()?.backends.get('default/p/443/login')?.hostname, 'other.example.com');
  put(graph, kept('https://other.example.com:8443/t'));
  graph.build(someTime);
  t.is(graph.snapshot()?.backends.get('default/p/443/login'), undefined);
  t.is(graph.snapshot()?.backends.get('default/p/8443/login')?.port, 8443);
  put(graph, kept('http://169.254.169.254/'));
  graph.build(someTime);
  t.deepEqual(access()?.closed, ['oidc']);
});

test('a changed client secret or key of logins changes the backend and the id of the snapshot, and no route', (t) => {
  const { graph, backends } = world(policy('p', { endpoints }));
  const hmacOf = () => Buffer.from(backends()[0]?.login?.hmac.reveal() ?? '').toString();
  const [first, id] = [hmacOf(), graph.snapshot()?.id];
  t.regex(first, /^[0-9a-f]{64}$/);
  put(graph, secret('oidc', { 'client-secret': 'new' }));
  const { changes } = graph.build(someTime);
  t.is(Buffer.from(backends()[0]?.login?.client.reveal() ?? '').toString(), 'new');
  t.not(graph.snapshot()?.id, id);
  t.deepEqual(
    [...changes].map(({ kind }) => kind).filter((kind) => kind === 'virtualHost' || kind === 'table'),
    [],
  );
  put(graph, key('l'.repeat(32)));
  graph.build(someTime);
  t.not(hmacOf(), first);
});

test('a Service may be asked for tokens; the policy has no way to a host of its own then', (t) => {
  const { access, backends } = world(policy('p', { endpoints, backendRef: { name: 'web', port: 80 } }));
  t.is(access()?.oidc?.server, 'default/web/80');
  t.deepEqual(access()?.others, ['default/p/8443/login', 'default/web/80']);
  t.is(backends()[0]?.hostname, undefined);
});

test('no route can name a policy as a backend', (t) => {
  const { graph } = world(policy('p', { endpoints }));
  const ref = { group: 'gatewright.dev', kind: 'AccessPolicy', name: 'p', port: 8443 };
  put(graph, httpRoute('b', { hostnames: ['b.test'], rules: [{ backendRefs: [ref] }] } as never));
  graph.build(someTime);
  t.regex(JSON.stringify(graph.statusOf('HTTPRoute', 'default/b')), /InvalidKind.*only Service/);
});

test('of requests that need no login a token is demanded, or no client comes in: an older policy may not demand it', (t) => {
  const passThrough = [{ header: { name: 'authorization', prefix: 'Bearer ' } }];
  const jwt = (optional: boolean) => ({
    jwt: {
      optional,
      providers: [
        {
          name: 'id',
          jwks: {
            inline: '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}',
          },
        },
      ],
    },
  });
  const good = world(policy('p', { endpoints, passThrough }, jwt(false)));
  t.is(good.access()?.closed, undefined);
  t.is(good.access()?.oidc?.passThrough.length, 1);
  const older = ownObject(
    'AccessPolicy',
    'older',
    { targetRefs: [{ group, kind: 'HTTPRoute', name: 'a' }], ...jwt(true) },
    { created: '2020-01-01T00:00:00Z' },
  );
  const open = world(policy('p', { endpoints, passThrough }, jwt(false)), older);
  t.deepEqual(open.access()?.closed, ['oidc']);
  const above = { kind: 'Gateway', name: 'edge' };
  const switched = world(policy('p', { endpoints, passThrough }, { ...jwt(false), overridable: ['jwt'] }, above));
  t.regex(switched.conditions(), /Invalid .*overridable only together with oidc/);
});

test('of several credentials that are enough, a login can be one: what it lets pass is demanded there', (t) => {
  const passThrough = [{ header: { name: 'x-api-key' } }];
  const inline = '{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}';
  const either = {
    satisfy: 'Any',
    jwt: { providers: [{ name: 'id', jwks: { inline }, from: { headers: [{ name: 'x-id-token' }] } }] },
    apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-api-key' }] },
  };
  const keys = { labels: { 'gatewright.dev/credentials': 'true' } };
  const at = (target: object, more: object = {}) => [
    policy('p', { endpoints, passThrough, forward: { idTokenHeader: 'x-id-token' } }, { ...either, ...more }, target),
    secret('keys', { ann: 'key-1' }, keys),
  ];
  const route = world(...at({ kind: 'HTTPRoute', name: 'a' }));
  t.is(route.access()?.closed, undefined, route.conditions());
  t.truthy(route.access()?.any);
  t.is(route.access()?.oidc?.passThrough.length, 1);
  const above = { kind: 'Gateway', name: 'edge' };
  t.regex(world(...at(above, { overridable: ['any'] })).conditions(), /Invalid .*any: .*only together with oidc/);

  const lower = (name: string, overrides: readonly string[], sectionName?: string) =>
    ownObject('AccessPolicy', name, {
      targetRefs: [{ group, kind: 'HTTPRoute', name: 'a', ...(sectionName && { sectionName }) }],
      overrides,
    });
  const shared = at(above, { overridable: ['any', 'oidc'] });
  const alone = world(...shared, lower('r', ['any']));
  t.regex(
    alone.conditions('r'),
    /OverrideNotAllowed any of default\/p stays in force: .*oidc has to be switched off, too/,
  );
  t.deepEqual(
    alone.graph
      .accessAt({ gateway: 'default/edge', route: 'HTTPRoute default/a', rule: undefined })
      .map((each) => each.state),
    ['inForce', 'inForce'],
  );
  t.notRegex(world(...shared, lower('r', ['any', 'oidc'])).conditions('r'), /OverrideNotAllowed/);
  t.notRegex(world(...shared, lower('r', ['any']), lower('q', ['oidc'])).conditions('r'), /OverrideNotAllowed/);
});

test('a listener without HTTPS is named, and one target with no other is wrong', (t) => {
  const plain = gateway('edge', [{ name: 'http' }]);
  const { graph, conditions } = world(policy('p', { endpoints }, {}, { kind: 'Gateway', name: 'edge' }));
  t.regex(conditions(), /Accepted=True Accepted/);
  put(graph, plain);
  graph.build(someTime);
  t.regex(conditions(), /Accepted=False Invalid oidc: listener http of Gateway default\/edge is not of protocol HTTPS/);
  const tls = { certificateRefs: [{ name: 'cert' }] };
  put(graph, gateway('edge', [{ name: 'http' }, { name: 'https', port: 443, protocol: 'HTTPS', tls }] as never));
  graph.build(someTime);
  t.regex(conditions(), /Accepted=True LoginNeedsHTTPS oidc: listener http of/);
});

test('sessions differ by namespace, provider, client and name, in cookies and signatures', (t) => {
  const bytes = Buffer.alloc(32, 1);
  const base = { namespace: 'a', provider: 'https://id', client: 'gw', session: 's' };
  const others = [
    {},
    { namespace: 'b' },
    { provider: 'https://id2' },
    { client: 'gx' },
    { session: 't' },
    { client: 'g', session: 'ws' },
  ];
  const all = others.map((more) => ({ ...base, ...more }));
  t.is(new Set(all.map((each) => loginHmac(bytes, each))).size, all.length);
  t.is(new Set(all.map(loginSessionId)).size, all.length);
  t.not(loginHmac(Buffer.alloc(32, 2), base), loginHmac(bytes, base));
  t.is(loginHmac(bytes, base), loginHmac(bytes, { ...base }));
});

import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { type ClientCertificate, createClientAuthority, frontendObjects } from '../support/client-certificates.ts';
import { endings } from '../support/endings.ts';
import { htpasswdOf } from '../support/htpasswd.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { gatewayObjects, type Standalone, startStandalone, untilRead } from '../support/standalone.ts';
import { askTls } from '../support/tls-ask.ts';
import { signer } from '../support/tokens.ts';
import { until } from '../support/until.ts';

/*
 * Limits that count by whose a request is, of the running program. Each bucket has one request in an hour. All policies are there from the start: a
 * change of one fills the buckets of the listener again.
 */

interface World extends Standalone {
  readonly tlsPort: number;
  readonly web: CountingBackend;
  readonly certificates: Readonly<Record<'ann' | 'bob' | 'stranger', ClientCertificate>>;
}
const test = anyTest as TestFn<World>;
const ends = endings(test);

const staff = signer('staff');
const partner = signer('partner');
const issuers = { staff: 'https://staff.test', partner: 'https://partner.test' };
const jwt = (more: object = {}) => ({
  jwt: {
    optional: true,
    providers: Object.entries({ staff, partner }).map(([name, { jwk }]) => ({
      name,
      issuer: issuers[name as keyof typeof issuers],
      jwks: { inline: JSON.stringify({ keys: [jwk] }) },
      ...more,
    })),
  },
});
const apiKeys = (more: object = {}) => ({
  apiKeys: { secretRefs: [{ name: 'clients' }], from: [{ header: 'x-api-key' }], ...more },
});
const basicAuth = (more: object = {}) => ({ basicAuth: { secretRef: { name: 'users' }, ...more } });

interface Target {
  readonly kind: string;
  readonly name: string;
  readonly sectionName?: string;
}
const own = (kind: string, name: string, target: Target, spec: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind,
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', ...target }], ...spec },
});
const route = (name: string): Target => ({ kind: 'HTTPRoute', name });
const limit = (name: string, target: Target, bucket: object = {}, more: object = {}) =>
  own('RateLimitPolicy', `limit-${name}`, target, {
    buckets: [{ name: 'b', key: [{ type: 'Identity' }], limits: [{ requests: 1, per: '1h' }], ...bucket }],
    ...more,
  });

/** What each host demands, and how its limit differs. */
const hosts: Readonly<Record<string, { access?: object; bucket?: object; more?: object }>> = {
  token: { access: jwt() },
  'token-shared': { access: jwt(), more: { counting: 'Shared' } },
  'token-header': { access: jwt({ claimsToHeaders: [{ claim: 'name', header: 'x-name' }] }) },
  exempt: { access: jwt(), bucket: { absent: 'Exempt' } },
  key: { access: apiKeys() },
  'key-header': { access: apiKeys({ identityHeader: 'x-client' }) },
  password: { access: basicAuth() },
  'password-header': { access: basicAuth({ userHeader: 'x-user' }) },
  both: { access: { ...apiKeys(), ...jwt() } },
  any: { access: { satisfy: 'Any', ...apiKeys(), ...basicAuth({ userHeader: 'x-user' }) } },
  certificate: {},
  open: {},
};

const parents = ['http', 'tls'].map((sectionName) => ({ name: 'edge', sectionName }));
const toWeb = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const httpRoute = (name: string, hostnames: readonly string[], parentRefs: readonly object[] = parents): object => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name },
  spec: { parentRefs, hostnames, rules: toWeb },
});

test.before(async (t) => {
  t.timeout(600_000);
  const [clients, strangers] = [await createClientAuthority('clients'), await createClientAuthority('strangers')];
  const server = await (await createClientAuthority('servers')).issue({ dns: ['certificate.test'] });
  const certificates = {
    ann: await clients.issue({ uris: ['spiffe://corp/ann'] }),
    bob: await clients.issue({ dns: ['bob.test'] }),
    stranger: await strangers.issue({ uris: ['spiffe://corp/ann'] }),
  };
  const web = await startBackend(ends);
  const tlsPort = await freePort();
  const world = await startStandalone();
  ends.teardown(() => world.stop());
  t.context = { ...world, tlsPort, web, certificates };
  const { write, port } = world;
  const [gatewayClass, gateway] = gatewayObjects(port) as [object, { readonly spec: object }];
  const validation = {
    mode: 'AllowInsecureFallback',
    caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authorities' }],
  };
  write('gateway.yaml', gatewayClass, {
    ...gateway,
    spec: {
      ...gateway.spec,
      tls: { frontend: { default: { validation } } },
      listeners: [
        { name: 'http', port, protocol: 'HTTP' },
        { name: 'wild', port, protocol: 'HTTP', hostname: '*.wild.test' },
        { name: 'tls', port: tlsPort, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'server' }] } },
      ],
    },
  });
  write('web.yaml', ...serviceObjects('web', [web.port]), ...frontendObjects(clients.certificatePem, server), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'clients', labels: { 'gatewright.dev/credentials': 'true' } },
    stringData: { ann: 'key-of-ann', bob: 'key-of-bob' },
  });
  write('users.yaml', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'users' },
    stringData: { '.htpasswd': htpasswdOf(['ann', 'eve']) },
  });
  const wild = { kind: 'Gateway', name: 'edge', sectionName: 'wild' };
  write(
    'routes.yaml',
    ...Object.keys(hosts).map((name) => httpRoute(name, [`${name}.test`, `*.${name}.late.test`])),
    httpRoute('wild', ['a.wild.test', '*.wild.test'], [{ name: 'edge', sectionName: 'wild' }]),
  );
  write(
    'policies.yaml',
    ...Object.entries(hosts).flatMap(([name, { access, bucket, more }]) => [
      ...(access ? [own('AccessPolicy', name, route(name), access)] : []),
      limit(name, route(name), bucket, more),
    ]),
    own('AccessPolicy', 'wild', wild, jwt()),
    limit('wild', wild),
    limit('wild-route', route('wild'), { limits: [{ requests: 3, per: '1h' }] }),
  );
  const { graph } = world.control;
  const listeners = () => graph.find('Gateway', 'default/edge')?.spec.listeners.length;
  await until('the listeners to be read', () => listeners() === 3);
  await untilRead(
    world,
    ['Secret', 'default/clients'],
    ['Secret', 'default/users'],
    ['HTTPRoute', 'default/wild'],
    ['RateLimitPolicy', 'default/limit-wild-route'],
  );
});

type Headers = Readonly<Record<string, string>>;

const ask = async (t: ExecutionContext<World>, host: string, headers: Headers = {}): Promise<number> =>
  (await send(t.context.port, { host, headers })).status;

async function statuses(
  t: ExecutionContext<World>,
  ...asked: readonly (readonly [host: string, headers?: Headers])[]
): Promise<number[]> {
  const got: number[] = [];
  for (const [host, headers] of asked) got.push(await ask(t, host, headers));
  return got;
}

const soon = Math.floor(Date.now() / 1000) + 3600;
const token = (sub: string, by: 'staff' | 'partner' = 'staff', more: object = {}): Headers => ({
  authorization: `Bearer ${{ staff, partner }[by].token({ iss: issuers[by], sub, exp: soon, ...more })}`,
});
const key = (name: string): Headers => ({ 'x-api-key': `key-of-${name}` });
const password = (user: string, word: string): Headers => ({
  authorization: `Basic ${Buffer.from(`${user}:${word}`).toString('base64')}`,
});
const [ann, eve] = [password('ann', 'secret'), password('eve', 'other')];

for (const [host, late] of [
  ['token.test', 'a.token.late.test'],
  ['token-shared.test', 'a.token-shared.late.test'],
  ['token-header.test', 'a.token-header.late.test'],
] as const)
  test.serial(`each user of a token has a bucket of its own, and those without one share one: ${host}`, async (t) => {
    t.deepEqual(
      await statuses(
        t,
        [host, token('ann')],
        [host, token('bob')],
        [late, token('ann', 'staff', { jti: '2' })],
        [host],
      ),
      [200, 200, 429, 200],
    );
    t.deepEqual(await statuses(t, [late], [late, token('carl')], [host, token('carl')]), [429, 200, 429]);
    // Of another issuer it is another user.
    t.deepEqual(await statuses(t, [host, token('ann', 'partner')], [host, token('ann', 'partner')]), [200, 429]);
  });

test.serial('requests without an identity do not count where they are exempt', async (t) => {
  const host = 'exempt.test';
  t.deepEqual(await statuses(t, [host], [host], [host, token('ann')], [host, token('ann')]), [200, 200, 200, 429]);
});

for (const host of ['key.test', 'key-header.test'])
  test.serial(`each client with a key has a bucket of its own: ${host}`, async (t) => {
    t.deepEqual(
      await statuses(t, [host, key('ann')], [host, key('bob')], [host, key('ann')], [host, { 'x-api-key': 'other' }]),
      [200, 200, 429, 401],
    );
    t.deepEqual(
      await statuses(t, [host, { ...key('ann'), 'x-client': 'new' }], [host, { ...key('bob'), 'x-client': '' }]),
      [429, 429],
    );
  });

for (const host of ['password.test', 'password-header.test'])
  test.serial(
    `each user with a password has a bucket of its own, which Envoy or the agent checks: ${host}`,
    async (t) => {
      t.deepEqual(
        await statuses(t, [host, ann], [host, eve], [host, ann], [host, eve], [host, { ...eve, 'x-user': 'new' }]),
        [200, 200, 429, 429, 429],
      );
    },
  );

test.serial('a user goes before the key of a program', async (t) => {
  const host = 'both.test';
  t.deepEqual(
    await statuses(
      t,
      [host, { ...key('ann'), ...token('ann') }],
      [host, { ...key('bob'), ...token('ann') }],
      [host, key('ann')],
      [host, key('ann')],
    ),
    [200, 429, 200, 429],
  );
});

test.serial('of several credentials the one counts that let the request in', async (t) => {
  const host = 'any.test';
  t.deepEqual(
    await statuses(t, [host, key('ann')], [host, ann], [host, ann], [host, key('ann')], [host, { 'x-user': 'ann' }]),
    [200, 200, 429, 429, 401],
  );
});

test.serial('a listener and a route count by what a policy of the listener has verified', async (t) => {
  t.deepEqual(
    await statuses(
      t,
      ['a.wild.test', token('ann')],
      ['b.wild.test', token('ann')],
      ['b.wild.test', token('bob')],
      ['a.wild.test'],
      ['b.wild.test'],
    ),
    [200, 429, 200, 200, 429],
  );
});

test.serial('clients with a certificate count by its name, and strangers as those without one', async (t) => {
  const { tlsPort, certificates } = t.context;
  const shown = async (name?: keyof typeof certificates) =>
    (await askTls(tlsPort, { host: 'certificate.test', certificate: name && certificates[name] })).status;
  t.deepEqual([await shown('ann'), await shown('bob'), await shown('ann'), await shown('bob')], [200, 200, 429, 429]);
  t.deepEqual([await shown('stranger'), await shown(), await shown('stranger')], [200, 429, 429]);
});

test.serial('no header gives a client an identity, and backends see none of them', async (t) => {
  const { web } = t.context;
  t.is(await ask(t, 'open.test'), 200);
  for (const name of ['identity', 'subject', 'issuer', 'user', 'client'])
    t.is(await ask(t, 'open.test', { [`x-gw-limit-${name}`]: 'other' }), 429, name);
  const names = new Set(web.seen.flatMap((headers) => Object.keys(headers)));
  t.deepEqual(
    [...names].filter((name) => name.startsWith('x-gw-')),
    [],
  );
  t.true(names.has('x-client') && names.has('x-user'));
});

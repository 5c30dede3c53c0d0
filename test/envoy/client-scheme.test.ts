import test from 'ava';
import * as ir from '../../src/ir/index.ts';
import { clientScheme, judgeAccess } from '../../src/offline/access/index.ts';
import { testRoute } from '../../src/offline/route-test/index.ts';
import { PasswordChecks } from '../../src/passwords/index.ts';
import { issue } from '../support/certificates.ts';
import { send } from '../support/http.ts';
import { gatewayKey, route, snapshotOf, table, translateAll, virtualHost } from '../support/ir.ts';
import { startProxy } from '../support/ir-proxy.ts';
import { askTls } from '../support/tls-ask.ts';

/** By which scheme a request came, behind proxies that say so: with a real Envoy, and as it is worked out without it. */

const [login, redirected] = ['login.test', 'redirected.test'];

const oidc: ir.Oidc = {
  session: 'default/login/443/login',
  server: 'default/login/443/login',
  endpoints: { authorization: 'https://id.example.com/auth', token: 'https://id.example.com/token' },
  clientId: 'gw',
  scopes: ['openid'],
  redirectPath: '/oauth2/callback',
  cookies: { prefix: '__Host-gw-0123456789abcdef-' },
  denyRedirect: [],
  passThrough: [],
  forward: { accessToken: false, cookies: false },
};

const server: ir.Backend = {
  key: oidc.server,
  kind: 'AccessPolicy',
  namespace: 'default',
  service: 'login',
  port: 443,
  protocol: 'http1',
  hostname: 'id.example.com',
  tls: { serverName: 'id.example.com', names: [{ kind: 'dns', value: 'id.example.com' }] },
  login: { client: new ir.Sensitive(Buffer.from('s')), hmac: new ir.Sensitive(Buffer.from('h')), version: '1' },
};

const near: ir.Cidr = { address: '127.0.0.1', prefixLength: 32 };
const far: ir.Cidr = { address: '10.0.0.0', prefixLength: 8 };

const clients: Readonly<Record<string, ir.ClientSettings>> = {
  'no proxy': {},
  hops: { trustedHops: 1 },
  'two hops': { trustedHops: 2 },
  'known proxy': { trustedProxies: { networks: [near] } },
  'known proxy by header': { trustedProxies: { networks: [near], header: 'x-client-ip' } },
  'others known': { trustedProxies: { networks: [far] } },
};

const said: readonly (readonly string[])[] = [
  [],
  ['http'],
  ['https'],
  ['HTTPS'],
  ['Http'],
  ['ftp'],
  ['https,http'],
  ['http', 'https'],
  ['https', 'https'],
];

const more: readonly Record<string, string>[] = [
  {},
  { 'x-forwarded-for': '192.0.2.1' },
  { 'x-client-ip': '192.0.2.1' },
];

test('the scheme that decides over logins and redirects is the one that Envoy sees', async (t) => {
  const pair = await issue('*.test');
  const certificate: ir.Secret = {
    key: 'default/pair',
    certificateChain: new ir.Sensitive(Buffer.from(pair.certificate)),
    privateKey: new ir.Sensitive(Buffer.from(pair.key)),
  };
  const listeners = Object.values(clients).flatMap((client, at) =>
    ['http', 'https'].map(
      (scheme, by): ir.Listener => ({
        key: `${scheme}/${at * 2 + by + 1}`,
        transport: 'tcp',
        bind: { address: '127.0.0.1', port: 0 },
        chains: [
          {
            kind: 'http',
            name: 'all',
            table: 'all',
            client,
            ...(scheme === 'https' && { tls: { serverNames: [], certificates: [certificate.key] } }),
          },
        ],
      }),
    ),
  );
  const content = {
    listeners,
    tables: [
      table('all', {
        exact: [
          virtualHost(login, [route('HTTPRoute/n/login/0/0', '/', { filters: { access: { route: { oidc } } } })]),
          virtualHost(redirected, [
            route('HTTPRoute/n/to/0/0', '/', { action: { kind: 'redirect', statusCode: 302, host: 'to.test' } }),
          ]),
        ],
      }),
    ],
    secrets: [certificate],
  };
  const proxy = await startProxy(t, content);
  const snapshot = snapshotOf(content);
  const gateways = snapshot.gateways.map((each) => ({ ...each, backends: each.backends.set(server.key, 1) }));
  await proxy.apply(translateAll({ ...snapshot, gateways, backends: snapshot.backends.set(server.key, server) }));
  const gateway = snapshot.gateways.get(gatewayKey) as ir.Fleet;
  const passwords = new PasswordChecks();

  const worked = async (port: number, host: string, headers: Readonly<Record<string, string | readonly string[]>>) => {
    const sent = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value] as const),
    );
    const from = '127.0.0.1';
    const { request, winner, scheme, status, location } = testRoute(gateway, port, {
      method: 'GET',
      host,
      path: '/',
      headers: sent,
      from,
    });
    if (host === redirected) return `${status} ${location}`;
    const judged = await judgeAccess(
      { table: [], rule: winner?.route.rule.filters?.access },
      { ...(request as NonNullable<typeof request>), ...(scheme && { scheme }), now: new Date(), passwords },
    );
    return String(judged.status);
  };

  const seen = new Set<string>();
  for (const [at, { key, chains }] of listeners.entries()) {
    const port = await proxy.envoy.port(key);
    const isSecure = chains[0]?.kind === 'http' && chains[0].tls !== undefined;
    for (const values of said)
      for (const others of more)
        for (const host of [login, redirected]) {
          const headers = { ...others, ...(values.length > 0 && { 'x-forwarded-proto': values }) };
          const asked = { host, headers: headers as Record<string, string> };
          const answer = await (isSecure ? askTls(port, asked) : send(port, asked));
          const expected = host === login ? String(answer.status) : `${answer.status} ${answer.headers.location}`;
          const got = await worked(at + 1, host, headers);
          t.is(got, expected, `${Object.keys(clients)[Math.floor(at / 2)]} ${key} ${JSON.stringify(headers)}`);
          seen.add(expected);
        }
  }
  t.deepEqual([...seen].sort(), ['302', '302 http://to.test/', '302 https://to.test/', '401']);
});

test('without the address of the connection the scheme is known only where it does not depend on it', (t) => {
  const says = (value: string) => (name: string) => (name === 'x-forwarded-proto' ? [value] : []);
  const { 'known proxy': known } = clients;
  t.is(clientScheme(undefined, says('https'), known, 'http'), undefined);
  t.is(clientScheme(undefined, says('http'), known, 'http'), 'http');
  t.is(clientScheme(undefined, says('https'), {}, 'http'), 'http');
  t.is(clientScheme(undefined, says('https'), { trustedHops: 1 }, 'http'), 'https');
});

import test, { type ExecutionContext } from 'ava';
import * as ir from '../../src/ir/index.ts';
import type { EnvoyResource } from '../../src/translate/index.ts';
import { send, startBackend } from '../support/http.ts';
import { httpListener, route, snapshotOf, table, tableGuards, translateAll, virtualHost } from '../support/ir.ts';
import { startProxy } from '../support/ir-proxy.ts';
import { until } from '../support/until.ts';

/** Secrets of logins in a real Envoy whose listener is open before anything names them. */

const key = 'http/80';
const session = 'default/login/443/login';

const login: ir.Oidc = {
  session,
  server: session,
  endpoints: { authorization: 'https://id.example.com/auth', token: 'https://id.example.com/token' },
  clientId: 'gw',
  scopes: ['openid'],
  redirectPath: '/oauth2/callback',
  cookies: { prefix: '__Host-gw-0123456789abcdef-' },
  denyRedirect: [],
  passThrough: [],
  forward: { accessToken: false, cookies: false },
};

const backend: ir.Backend = {
  key: session,
  kind: 'AccessPolicy',
  namespace: 'default',
  service: 'login',
  port: 443,
  protocol: 'http1',
  hostname: 'id.example.com',
  tls: { serverName: 'id.example.com', names: [{ kind: 'dns', value: 'id.example.com' }] },
  login: { client: new ir.Sensitive(Buffer.from('s')), hmac: new ir.Sensitive(Buffer.from('h')), version: '1' },
};

interface Demands {
  readonly table?: ir.Access;
  readonly route?: ir.RouteAccess;
}

async function world(t: ExecutionContext) {
  const web = await startBackend(t);
  const backends = { web: web.port };
  const content = ({ table: demanded, route: access }: Demands) => {
    const routes = [route('r', '/', access ? { filters: { access } } : {})];
    const made = table(key, {
      exact: [virtualHost('a.test', routes)],
      fallback: [virtualHost('*.wild.test', routes)],
    });
    const [chain] = httpListener(key).chains;
    const logged = { ...(chain as ir.HttpChain), accessLog: { gateway: 'default/edge' } };
    return {
      listeners: [{ ...httpListener(key), chains: [logged] }],
      tables: [{ ...made, ...(demanded && { access: tableGuards(demanded) }) }],
      backends,
    };
  };
  const proxy = await startProxy(t, content({}));
  let sent: readonly EnvoyResource[] = [];
  const port = await proxy.envoy.port(key);
  return {
    proxy,
    ask: async (host: string, path = '/') => (await send(port, { host, path })).status,
    serve: async (demands: Demands, more: readonly ir.Backend[] = [backend]) => {
      const snapshot = snapshotOf(content(demands));
      const gateways = snapshot.gateways.map((each) => ({
        ...each,
        backends: more.reduce((all, one) => all.set(one.key, 1), each.backends),
      }));
      const known = more.reduce((all, one) => all.set(one.key, one), snapshot.backends);
      const made = translateAll({ ...snapshot, gateways, backends: known });
      const names = new Set(made.map((each) => `${each.typeUrl} ${each.name}`));
      await proxy.apply(
        made,
        sent.filter((each) => !names.has(`${each.typeUrl} ${each.name}`)),
      );
      sent = made;
    },
  };
}

const places: readonly (readonly [string, Demands])[] = [
  ['a table', { table: { oidc: login } }],
  ['a route', { route: { route: { oidc: login } } }],
  ['a rule', { route: { rule: { oidc: login } } }],
];

for (const [place, demands] of places) {
  test(`a login of ${place} that comes, goes and comes again has its secrets at once`, async (t) => {
    const { ask, serve } = await world(t);
    for (let round = 0; round < 2; round += 1) {
      await serve(demands);
      // By plain HTTP no browser is sent to the provider.
      for (const host of ['a.test', 'A.TEST', 'b.wild.test']) t.is(await ask(host), 401, `${host}, round ${round}`);
      await serve({}, []);
      t.is(await ask('a.test'), 200);
    }
  });
}

test('without what holds the secrets, an open listener would never have them: the reason for it', async (t) => {
  const { ask, serve } = await world(t);
  const { login: _, ...bare } = backend;
  await serve({ table: { oidc: login } }, [bare]);
  t.is(await ask('a.test'), 503);
});

test('the access log has what denied a login, without what it quotes of the request', async (t) => {
  const { proxy, ask, serve } = await world(t);
  await serve({ table: { oidc: login } });
  const hush = 'hush-hush';
  t.is(await ask('a.test', `/x?q=${hush}`), 401);
  t.is(await ask('b.wild.test', `/oauth2/callback?error=${hush}`), 401);
  const lines = await until('the lines', () => {
    const found = proxy.envoy
      .log()
      .split('\n')
      .filter((text) => text.startsWith('{') && text.endsWith('}'))
      .map((text) => JSON.parse(text) as { readonly response_code_details: string });
    return found.length >= 2 && found;
  });
  t.deepEqual(lines.map((line) => line.response_code_details).sort(), [
    'OAuth_server_returned_an_error',
    'Unauthorized,_and_redirecting_to_OAuth_server_is_not_allowed',
  ]);
  t.false(JSON.stringify(lines).includes(hush));
});

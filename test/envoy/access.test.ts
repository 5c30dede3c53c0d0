import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import type * as ir from '../../src/ir/index.ts';
import { basic, everywhere, exactHost, lateHost, places, sensitive, sha, world } from '../support/access-parts.ts';
import { startGrpcAuth } from '../support/grpc-auth.ts';
import { startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';

/** Each part at each level, on a host that is found at once and on one that is found late, with a real Envoy. */

const loopback = { address: '127.0.0.0', prefixLength: 8 };
thorough(test)('client IPs: those that are allowed pass', everywhere, { clientIPs: { allow: [loopback], deny: [] } }, [
  { status: 200 },
]);
test(
  'client IPs: all others do not',
  everywhere,
  { clientIPs: { allow: [{ address: '10.0.0.0', prefixLength: 8 }], deny: [] } },
  [{ status: 403 }],
);
test(
  'client IPs: what is denied goes before what is allowed',
  everywhere,
  { clientIPs: { allow: [loopback], deny: [{ address: '127.0.0.1', prefixLength: 32 }] } },
  [{ status: 403 }],
);
thorough(test)(
  'client IPs: an empty list of allowed ones lets no client in',
  everywhere,
  { clientIPs: { allow: [], deny: [] } },
  [{ status: 403 }],
);
thorough(test)(
  'client IPs: without a list all pass that are not denied',
  everywhere,
  { clientIPs: { deny: [{ address: '10.0.0.0', prefixLength: 8 }] } },
  [{ status: 200 }],
);

test(
  'API keys: the key of a client passes, its name reaches the backend, and the key does not',
  everywhere,
  {
    apiKeys: {
      keys: sensitive(
        JSON.stringify([
          ['alice', 'k1'],
          ['bob', 'k2'],
        ]),
      ),
      from: [
        { kind: 'header', name: 'x-api-key' },
        { kind: 'query', name: 'key' },
      ],
      identityHeader: 'x-client',
      forwardKey: false,
    },
  },
  [
    { status: 401 },
    { headers: { 'x-api-key': 'wrong' }, status: 401 },
    {
      headers: { 'x-api-key': 'k2', 'x-client': 'alice' },
      status: 200,
      seen: { 'x-client': 'bob', 'x-api-key': undefined },
    },
    { path: '/?key=k1', status: 200, seen: { 'x-client': 'alice' } },
  ],
);

test(
  'passwords: user and password pass, and the backend learns the user',
  everywhere,
  {
    basicAuth: {
      htpasswd: sensitive(`alice:${sha('secret')}\nbob:${sha('other')}\n`),
      realm: 'staff',
      userHeader: 'x-user',
    },
  },
  [
    { status: 401 },
    { headers: basic('alice', 'wrong'), status: 401 },
    { headers: basic('carol', 'secret'), status: 401 },
    { headers: { ...basic('alice', 'secret'), 'x-user': 'root' }, status: 200, seen: { 'x-user': 'alice' } },
  ],
);

thorough(test)(
  'CSRF: what changes something must come from the host itself, or from an origin that is named',
  everywhere,
  {
    csrf: { additionalOrigins: [{ kind: 'exact', value: 'friend.test' }] },
  },
  [
    { status: 200 },
    { method: 'POST', status: 403 },
    { method: 'POST', headers: { origin: 'http://evil.test' }, status: 403 },
    { method: 'POST', headers: { origin: 'null' }, status: 403 },
    { method: 'POST', headers: { origin: 'http://friend.test' }, status: 200 },
  ],
);

thorough(test)('CSRF: of what would be denied, the share that is only watched passes', async (t) => {
  const { ask, serve } = await world(t);
  for (const [place, demands] of places) {
    await serve(demands({ csrf: { additionalOrigins: [], shadowPercent: 50 } }));
    const statuses = await Promise.all(Array.from({ length: 64 }, () => ask(exactHost, { method: 'POST' })));
    t.deepEqual([...new Set(statuses)].sort(), [200, 403], place);
    await serve(demands({ csrf: { additionalOrigins: [], shadow: true } }));
    t.is(await ask(exactHost, { method: 'POST' }), 200, place);
  }
});

test('a part that is not available lets no request in', everywhere, { closed: ['jwt'] }, [{ status: 500 }]);

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }] });
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const soon = Math.floor(Date.now() / 1000) + 3600;

/** Source: RFC 7519. */
function token(
  claims: object,
  { by = privateKey, header = { alg: 'RS256', kid: 'k' } }: { by?: KeyObject; header?: object } = {},
): string {
  const text = `${encoded({ typ: 'JWT', ...header })}.${encoded({ iss: 'https://id.test', aud: 'api', exp: soon, ...claims })}`;
  return `${text}.${sign('sha256', Buffer.from(text), by).toString('base64url')}`;
}
const bearer = (...of: Parameters<typeof token>) => ({ authorization: `Bearer ${token(...of)}` });

const staff: ir.JwtProvider = {
  id: 'infra/edge/staff',
  issuer: 'https://id.test',
  audiences: ['api'],
  keys: jwks,
  from: [],
  forwardToken: false,
  claimsToHeaders: [{ claim: ['sub'], header: 'x-user' }],
  claimsRead: true,
};
const unsigned = `${encoded({ alg: 'none' })}.${encoded({ iss: 'https://id.test', aud: 'api', exp: soon, sub: 'alice' })}.`;
const confused = () => {
  const text = `${encoded({ alg: 'HS256', kid: 'k' })}.${encoded({ iss: 'https://id.test', aud: 'api', exp: soon })}`;
  const pem = publicKey.export({ format: 'pem', type: 'spki' });
  return `${text}.${createHmac('sha256', pem).update(text).digest('base64url')}`;
};

test(
  'tokens: one of the issuer passes, and its claims reach the backend',
  everywhere,
  { jwt: { optional: false, providers: [staff] } },
  [
    { status: 401 },
    {
      headers: { ...bearer({ sub: 'alice' }), 'x-user': 'root' },
      status: 200,
      seen: { 'x-user': 'alice', authorization: undefined },
    },
    { headers: bearer({ sub: 'alice' }, { by: stranger.privateKey }), status: 401 },
    { headers: bearer({ exp: 1 }), status: 401 },
    { headers: bearer({ nbf: soon }), status: 401 },
    { headers: bearer({ iss: 'https://other.test' }), status: 401 },
    { headers: bearer({ aud: 'other' }), status: 403 },
    { headers: { authorization: `Bearer ${unsigned}` }, status: 401 },
    { headers: { authorization: `Bearer ${confused()}` }, status: 401 },
    { path: `/?access_token=${token({ sub: 'alice' })}`, status: 401 },
  ],
);

thorough(test)(
  'tokens that are optional: none passes, a bad one does not, and no client names itself',
  everywhere,
  { jwt: { optional: true, providers: [staff] } },
  [
    { headers: { 'x-user': 'root' }, status: 200, seen: { 'x-user': undefined } },
    { headers: bearer({ exp: 1 }), status: 401 },
    { headers: bearer({ sub: 'bob' }), status: 200, seen: { 'x-user': 'bob' } },
  ],
);

thorough(test)(
  'tokens of either provider pass, from wherever they may come',
  everywhere,
  {
    jwt: {
      optional: false,
      providers: [
        { ...staff, from: [{ kind: 'cookie', name: 'token' }] },
        {
          ...staff,
          id: 'infra/edge/machines',
          issuer: 'https://machines.test',
          from: [{ kind: 'header', name: 'x-token' }],
        },
      ],
    },
  },
  [
    { headers: bearer({ sub: 'alice' }), status: 401 },
    { headers: { cookie: `token=${token({ sub: 'alice' })}` }, status: 200 },
    { headers: { 'x-token': token({ iss: 'https://machines.test' }) }, status: 200 },
    { headers: { 'x-token': token({}) }, status: 401 },
  ],
);

const keysOf = (...pairs: readonly (readonly [string, string])[]): ir.ApiKeys => ({
  keys: sensitive(JSON.stringify(pairs)),
  from: [
    { kind: 'header', name: 'x-api-key' },
    { kind: 'query', name: 'key' },
    { kind: 'cookie', name: 'k' },
  ],
  identityHeader: 'x-client',
  forwardKey: false,
});
const users: ir.BasicAuth = {
  htpasswd: sensitive(`alice:${sha('secret')}\n`),
  realm: 'staff',
  userHeader: 'x-user',
};
const elsewhere = { address: '10.0.0.0', prefixLength: 8 };
const forged = { 'X-User': 'root', 'x-CLIENT': 'root', 'x-sub': 'root' };
const pretended = { 'x-user': undefined, 'x-client': undefined, 'x-sub': undefined };
const anyOf: ir.AnyOf = {
  allow: [elsewhere],
  apiKeys: keysOf(['bob', 'k1']),
  basicAuth: users,
  jwt: { optional: false, providers: [{ ...staff, claimsToHeaders: [{ claim: ['sub'], header: 'x-sub' }] }] },
};

test('any of: one credential is enough, a wrong one is not, and no client names itself', everywhere, { any: anyOf }, [
  { status: 401 },
  { headers: forged, status: 401 },
  { headers: { 'x-api-key': 'k1', ...forged }, status: 200, seen: { ...pretended, 'x-client': 'bob' } },
  { path: '/?key=k1', headers: forged, status: 200, seen: { ...pretended, 'x-client': 'bob' } },
  { headers: { cookie: 'a=b; k=k1', ...forged }, status: 200, seen: { ...pretended, 'x-client': 'bob' } },
  { headers: { 'x-api-key': '' }, status: 401 },
  { headers: { 'x-api-key': 'k2' }, status: 401 },
  { headers: { ...basic('alice', 'secret'), ...forged }, status: 200, seen: { ...pretended, 'x-user': 'alice' } },
  { headers: basic('alice', 'wrong'), status: 401 },
  { headers: { authorization: 'Basic' }, status: 401 },
  { headers: { ...bearer({ sub: 'eve' }), ...forged }, status: 200, seen: { ...pretended, 'x-sub': 'eve' } },
  { headers: bearer({ sub: 'eve' }, { by: stranger.privateKey }), status: 401 },
  // A wrong one denies although another would do.
  { headers: { ...basic('alice', 'wrong'), 'x-api-key': 'k1' }, status: 401 },
  { headers: { ...bearer({ sub: 'eve' }), 'x-api-key': 'k2' }, status: 401 },
]);

thorough(test)(
  'any of: an address that is allowed needs nothing more, and does not name itself either',
  everywhere,
  { any: { ...anyOf, allow: [loopback] } },
  [
    { headers: forged, status: 200, seen: pretended },
    { headers: { 'x-user': 'root', 'x-api-key': 'wrong' }, status: 200, seen: pretended },
  ],
);

thorough(test)(
  'any of: all other parts are demanded in any case',
  everywhere,
  {
    any: { allow: [loopback], basicAuth: users },
    clientIPs: { deny: [{ address: '127.0.0.1', prefixLength: 32 }] },
  },
  [{ status: 403 }, { headers: basic('alice', 'secret'), status: 403 }],
);

thorough(test)(
  'any of: a key may be in Authorization beside passwords',
  everywhere,
  {
    any: { basicAuth: users, apiKeys: { ...keysOf(['bob', 'k1']), from: [{ kind: 'header', name: 'authorization' }] } },
  },
  [
    { status: 401 },
    { headers: { authorization: 'Bearer k1' }, status: 200, seen: { 'x-client': 'bob' } },
    { headers: { authorization: 'k2' }, status: 401 },
    { headers: basic('alice', 'secret'), status: 200, seen: { 'x-user': 'alice' } },
  ],
);

const rules = (...all: readonly Partial<ir.AuthorizationRule>[]): ir.Authorization => ({
  default: 'Deny',
  rules: all.map((rule, index) => ({ id: `infra/edge/${index}`, action: 'Allow', when: [], ...rule })),
});

test(
  'authorization: the first Deny counts, then any Allow, then the default',
  everywhere,
  {
    authorization: rules(
      {
        action: 'Deny',
        when: [
          {
            paths: [{ kind: 'prefix', value: '/admin' }],
          },
        ],
      },
      { when: [{ methods: ['GET', 'HEAD'] }] },
      {
        when: [
          {
            methods: ['POST'],
            headers: [
              {
                name: 'x-write',
                values: [
                  { kind: 'exact', value: 'yes' },
                  { kind: 'exact', value: 'maybe' },
                ],
              },
            ],
          },
        ],
      },
      { when: [{ methods: ['DELETE'], clientIPs: [{ address: '10.0.0.0', prefixLength: 8 }] }] },
    ),
  },
  [
    { status: 200 },
    { path: '/admin', status: 403 },
    { path: '/admin/x', status: 403 },
    { path: '/x/../admin', status: 403 },
    { path: '//admin', status: 403 },
    { path: '/administrator', status: 200 },
    { method: 'POST', status: 403 },
    { method: 'POST', headers: { 'x-write': 'maybe' }, status: 200 },
    { method: 'DELETE', status: 403 },
  ],
);

thorough(test)(
  'authorization: Allow by default lets pass what no Deny names',
  everywhere,
  {
    authorization: {
      default: 'Allow',
      rules: [{ id: 'a', action: 'Deny', when: [{ methods: ['PUT'] }, { paths: [{ kind: 'exact', value: '/x' }] }] }],
    },
  },
  [{ status: 200 }, { method: 'PUT', status: 403 }, { path: '/x', status: 403 }, { path: '/x/y', status: 200 }],
);

test(
  'authorization: claims and scopes of a token that was verified',
  everywhere,
  {
    jwt: { optional: true, providers: [staff] },
    authorization: rules(
      { when: [{ jwt: { provider: staff.id, scopes: ['read', 'write'], claims: [] } }] },
      { when: [{ jwt: { provider: staff.id, scopes: [], claims: [{ path: ['groups'], values: ['ops'] }] } }] },
      {
        when: [{ jwt: { provider: staff.id, scopes: [], claims: [{ path: ['realm', 'roles'], values: ['admin'] }] } }],
      },
    ),
  },
  [
    { status: 403 },
    { headers: bearer({ scope: 'read' }), status: 403 },
    { headers: bearer({ scope: 'write other read' }), status: 200 },
    { headers: bearer({ groups: ['dev', 'ops'] }), status: 200 },
    { headers: bearer({ groups: 'ops' }), status: 200 },
    { headers: bearer({ groups: 'operators' }), status: 403 },
    { headers: bearer({ realm: { roles: ['admin'] } }), status: 200 },
    { headers: bearer({ groups: ['ops'] }, { by: stranger.privateKey }), status: 401 },
  ],
);

thorough(test)('a rule of a route asks for a claim that its Gateway has proved', async (t) => {
  const { ask, serve } = await world(t);
  await serve({
    table: { jwt: { optional: false, providers: [staff] } },
    route: {
      rule: {
        authorization: rules({
          when: [{ jwt: { provider: staff.id, scopes: [], claims: [{ path: ['groups'], values: ['ops'] }] } }],
        }),
      },
    },
  });
  for (const host of [exactHost, lateHost]) {
    t.is(await ask(host), 401);
    t.is(await ask(host, { headers: bearer({ groups: ['dev'] }) }), 403);
    t.is(await ask(host, { headers: bearer({ groups: ['ops'] }) }), 200);
  }
});

test('levels add up: a route takes nothing away from what its Gateway demands', async (t) => {
  const { ask, serve } = await world(t);
  await serve({
    table: { basicAuth: { htpasswd: sensitive(`alice:${sha('a')}\n`) } },
    route: {
      route: { clientIPs: { allow: [loopback], deny: [] } },
      rule: { authorization: rules({ when: [{ methods: ['GET'] }] }) },
    },
  });
  for (const host of [exactHost, lateHost]) {
    t.is(await ask(host), 401);
    t.is(await ask(host, { headers: basic('alice', 'a') }), 200);
    t.is(await ask(host, { method: 'POST', headers: basic('alice', 'a') }), 403);
  }
});

thorough(test)(
  'a route does without a part only where its Gateway lets it, and then no client names itself',
  async (t) => {
    const { ask, serve, seen } = await world(t);
    const basicAuth = { htpasswd: sensitive(`alice:${sha('a')}\n`), userHeader: 'x-user' };
    const without = { route: { overrides: ['basicAuth' as const] } };
    await serve({ table: { basicAuth }, ...without });
    for (const host of [exactHost, lateHost]) t.is(await ask(host), 401, 'the Gateway does not let it');
    await serve({ table: { basicAuth, overridable: ['basicAuth'] }, ...without });
    for (const host of [exactHost, lateHost]) {
      t.is(await ask(host, { headers: { 'x-user': 'root' } }), 200);
      t.is(seen()['x-user'], undefined);
    }
  },
);

const forward = (given: Partial<ir.ForwardAuth> = {}): ir.ForwardAuth => ({
  backend: 'default/auth/80',
  protocol: 'http',
  authority: 'auth',
  requestHeaders: ['cookie'],
  responseHeaders: ['x-auth-user'],
  toClient: [],
  timeoutMs: 60_000,
  failOpen: false,
  statusOnError: 503,
  ...given,
});

test('forward auth: the server decides, is asked for its own path, and what it answers reaches the backend', async (t) => {
  const paths: (string | undefined)[] = [];
  const auth = await startBackend(t, (request, response) => {
    paths.push(request.url);
    const isKnown = request.headers.cookie === 'session=alice';
    response.writeHead(isKnown ? 200 : 401, { 'x-auth-user': 'alice', 'x-other': 'o' }).end('who are you');
  });
  const { ask, serve, seen } = await world(t, { auth: auth.port });
  for (const [, demands] of places) {
    await serve(demands({ forwardAuth: forward({ path: '/oauth2/auth' }) }));
    for (const host of [exactHost, lateHost]) {
      t.is(await ask(host, { path: '/app' }), 401);
      t.is(await ask(host, { path: '/app', headers: { cookie: 'session=alice', 'x-auth-user': 'root' } }), 200);
      t.is(seen()['x-auth-user'], 'alice');
      t.is(seen()['x-other'], undefined);
    }
  }
  t.true(paths.every((path) => path === '/oauth2/auth'));
});

thorough(test)(
  'forward auth: without an answer requests get the status that is written, or pass where that is written',
  async (t) => {
    const silent = await startBackend(t, (request) => void request.socket.destroy());
    const { ask, serve } = await world(t, { auth: silent.port });
    await serve({ table: { forwardAuth: forward() } });
    t.is(await ask(exactHost), 503);
    t.is(await ask(lateHost), 503);
    await serve({ table: { forwardAuth: forward({ failOpen: true }) } });
    t.is(await ask(exactHost), 200);
    const { backend: _, ...nowhere } = forward({ failOpen: true });
    await serve({ route: { rule: { forwardAuth: nowhere } } });
    t.is(await ask(exactHost), 500, 'a server that is not there lets no request in, whatever is written');
  },
);

/** A server that knows one session, and keeps what it was asked. */
async function startAuth(t: ExecutionContext) {
  const asked: IncomingMessage[] = [];
  const { port } = await startBackend(t, (request, response) => {
    asked.push(request);
    const isKnown = request.headers.cookie === 'session=alice';
    response.writeHead(isKnown ? 200 : 401, { 'www-authenticate': 'Basic', 'set-cookie': 'csrf=1' }).end('who are you');
  });
  return { port, last: () => asked.at(-1) as IncomingMessage };
}

const askedHeaders = ['method', 'proto', 'host', 'uri', 'for'].map((name) => `x-forwarded-${name}`);

thorough(test)(
  'forward auth: the server learns what was asked for, from no client; the backend sees none of it',
  async (t) => {
    const auth = await startAuth(t);
    const { answer, serve, seen } = await world(t, { auth: auth.port });
    const forgedHeaders = Object.fromEntries([...askedHeaders, 'x-original-url'].map((name) => [name, 'forged.test']));
    for (const [place, demands] of places) {
      await serve(demands({ forwardAuth: forward({ path: '/verify' }) }));
      for (const host of [exactHost, `${exactHost.toUpperCase()}:81`, lateHost]) {
        const headers = { cookie: 'session=alice', ...forgedHeaders, 'x-forwarded-for': '10.9.8.7' };
        const { status } = await answer(host, { path: '/a/b?c=d&e=%20', method: 'POST', headers, body: 'text' });
        t.is(status, 200, `${place}, ${host}`);
        t.is(auth.last().url, '/verify');
        const sent = auth.last().headers;
        t.deepEqual(
          [...askedHeaders, 'x-original-url'].map((name) => sent[name]),
          ['POST', 'http', host, '/a/b?c=d&e=%20', '127.0.0.1', `http://${host}/a/b?c=d&e=%20`],
          `${place}, ${host}`,
        );
        t.is(seen()['x-forwarded-method'], 'forged.test', 'as a client sends it to a backend without the policy');
        t.is(seen()['x-original-url'], 'forged.test');
      }
    }
  },
);

const signIn = { url: 'https://id.test/start?theme=dark', returnParam: 'rd' };
const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

thorough(test)(
  'sign-in: a page that the server answers 401 leads to where its user can sign in, with the whole URL',
  async (t) => {
    const auth = await startAuth(t);
    const { answer, serve } = await world(t, { auth: auth.port });
    for (const [place, demands] of places) {
      await serve(demands({ forwardAuth: forward({ path: '/verify', signIn }) }));
      for (const host of [exactHost, exactHost.toUpperCase(), lateHost]) {
        const where = `${place}, ${host}`;
        for (const method of ['GET', 'HEAD']) {
          const { status, headers } = await answer(host, { method, path: '/a?x=1&y=%26+%C3%BC', headers: page });
          t.is(status, 302, where);
          const to = new URL(headers.location ?? '');
          t.is(to.origin + to.pathname, 'https://id.test/start', where);
          t.is(to.searchParams.get('theme'), 'dark');
          t.is(to.searchParams.get('rd'), `http://${host}/a?x=1&y=%26+%C3%BC`, where);
          t.is([...to.searchParams].length, 2, 'nothing of the URL that was asked for becomes a parameter of its own');
          t.is(headers['www-authenticate'], undefined);
          t.deepEqual(headers['set-cookie'], ['csrf=1'], 'what the server sets reaches the browser');
          t.is(headers['cache-control'], 'no-store');
        }
        for (const asked of [{}, { headers: { accept: '*/*' } }, { method: 'POST', headers: page }]) {
          const { status, headers } = await answer(host, asked);
          t.deepEqual([status, headers.location], [401, undefined], `${where}: ${JSON.stringify(asked)}`);
        }
        t.is((await answer(host, { headers: { ...page, cookie: 'session=alice' } })).status, 200, where);
      }
    }
  },
);

thorough(test)('sign-in: a 401 of the backend, or of a part behind the server, stays one', async (t) => {
  const auth = await startAuth(t);
  const { answer, serve } = await world(t, { auth: auth.port }, (_, response) => response.writeHead(401).end());
  const known = { ...page, cookie: 'session=alice' };
  const asked = forward({ path: '/verify', signIn });
  for (const [place, demands] of places) {
    await serve(demands({ forwardAuth: asked }));
    for (const host of [exactHost, lateHost]) {
      const { status, headers } = await answer(host, { headers: known });
      t.deepEqual([status, headers.location], [401, undefined], `${place}, ${host}`);
      t.is((await answer(host, { headers: page })).status, 302, `${place}, ${host}`);
    }
  }
  await serve({ table: { forwardAuth: asked, basicAuth: { htpasswd: users.htpasswd } } });
  t.is((await answer(exactHost, { headers: page })).status, 401, 'of a part in front of the server');
  await serve({ table: { forwardAuth: asked }, route: { rule: { forwardAuth: forward({ path: '/verify' }) } } });
  t.is((await answer(exactHost, { headers: page })).status, 302);
  await serve({
    table: { forwardAuth: { ...asked, failOpen: true, backend: 'default/gone/80' } },
    route: { rule: { forwardAuth: forward({ path: '/verify' }) } },
  });
  t.is((await answer(exactHost, { headers: page })).status, 401, 'of another server, which has no place to sign in');
});

thorough(test)('sign-in: a longer path than any that comes back is left out', async (t) => {
  const auth = await startAuth(t);
  const { answer, serve } = await world(t, { auth: auth.port });
  await serve({ table: { forwardAuth: forward({ signIn: { url: '/login', returnParam: 'next' } }) } });
  const { status, headers } = await answer(exactHost, { path: `/${'a'.repeat(5000)}`, headers: page });
  t.deepEqual([status, headers.location], [302, `/login?next=${encodeURIComponent(`http://${exactHost}/`)}`]);
});

thorough(test)('forward auth: 200 lets in, and no other answer, whatever it means elsewhere', async (t) => {
  let status = 200;
  const auth = await startBackend(t, (_, response) => response.writeHead(status, { location: '/login' }).end());
  const { answer, serve, seen } = await world(t, { auth: auth.port });
  await serve({ table: { forwardAuth: forward() } });
  t.is((await answer(exactHost)).status, 200);
  const before = seen();
  for (status of [202, 204, 302, 404]) t.is((await answer(exactHost)).status, status);
  t.is(seen(), before, 'nothing reached the backend');
});

thorough(test)(
  'forward auth: a larger body than the server takes is answered 413, a slow server is not waited for',
  async (t) => {
    const bodies: string[] = [];
    const auth = await startBackend(t, (request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.once('end', () => {
        bodies.push(body);
        if (body !== 'slow') response.end();
      });
    });
    const { answer, serve } = await world(t, { auth: auth.port });
    for (const host of [exactHost, lateHost]) {
      await serve({ table: { forwardAuth: forward({ maxBodyBytes: 8 }) } });
      t.is((await answer(host, { method: 'POST', body: 'short' })).status, 200);
      t.is(bodies.at(-1), 'short');
      t.is((await answer(host, { method: 'POST', body: 'much too long' })).status, 413);
      await serve({ table: { forwardAuth: forward({ maxBodyBytes: 8, timeoutMs: 200, statusOnError: 504 }) } });
      t.is((await answer(host, { method: 'POST', body: 'slow' })).status, 504);
    }
  },
);

thorough(test)('forward auth by gRPC: the server sees the headers that are written, and none of ours', async (t) => {
  const auth = await startGrpcAuth(t, () => ({ status: { code: 0 } }));
  const { ask, serve } = await world(t, { grpc: auth.port });
  const headersAsked = () => Object.keys(auth.asked.at(-1)?.attributes?.request?.http?.headers ?? {});
  const of = (requestHeaders: readonly string[]) =>
    forward({ backend: 'default/grpc/80', protocol: 'grpc', requestHeaders, responseHeaders: [] });
  for (const [place, demands] of places) {
    for (const host of [exactHost, lateHost]) {
      await serve(demands({ forwardAuth: of(['x-team']) }));
      t.is(await ask(host, { headers: { 'x-team': 'a', cookie: 'c=1' } }), 200, place);
      t.deepEqual(
        headersAsked().filter((name) => !name.startsWith(':')),
        ['x-team'],
        place,
      );
      await serve(demands({ forwardAuth: of([]) }));
      t.is(await ask(host, { headers: { 'x-team': 'a', cookie: 'c=1', 'x-gw-scope': 'forged' } }), 200, place);
      t.true(headersAsked().includes('cookie'));
      t.false(
        headersAsked().some((name) => name.startsWith('x-gw-')),
        place,
      );
    }
  }
});

import test, { type ExecutionContext } from 'ava';
import type * as ir from '../../src/ir/index.ts';
import { basic, type Demands, exactHost, lateHost, sensitive, sha, world } from '../support/access-parts.ts';
import { startBackend } from '../support/http.ts';
import { every, thorough } from '../support/repetitions.ts';
import { signer } from '../support/tokens.ts';

/** Credentials stay in a request until all levels have verified them; then those go that a policy in force keeps from backends. With a real Envoy. */

const key = signer('k', 'ES256');
const issuer = 'https://id.test';
const token = key.token({ iss: issuer });
const bearer = { authorization: `Bearer ${token}` };

const staff = (given: Partial<ir.JwtProvider> = {}): ir.JwtProvider => ({
  id: 'a/b/staff',
  issuer,
  audiences: [],
  keys: JSON.stringify({ keys: [key.jwk] }),
  from: [],
  forwardToken: false,
  claimsToHeaders: [],
  ...given,
});
const jwt = (given: Partial<ir.JwtProvider> = {}): ir.Access => ({
  jwt: { optional: false, providers: [staff(given)] },
});
const keys = (given: Partial<ir.ApiKeys> = {}): ir.Access => ({
  apiKeys: {
    keys: sensitive(JSON.stringify([['ann', 'k1']])),
    from: [{ kind: 'header', name: 'x-key' }],
    forwardKey: false,
    ...given,
  },
});

interface Echo {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function echoing(t: ExecutionContext) {
  const auth = await startBackend(t);
  const { serve, answer } = await world(t, { auth: auth.port }, (request, response) =>
    response.end(JSON.stringify({ url: request.url, headers: request.headers })),
  );
  /** What the backend gets of a request that is let in, however its host was found: the same. */
  const seenOf = async (asked: { path?: string; headers?: Record<string, string> }): Promise<Echo> => {
    const all: Echo[] = [];
    for (const host of [exactHost, exactHost.toUpperCase(), lateHost]) {
      const { status, body } = await answer(host, asked);
      t.is(status, 200, `${host} ${JSON.stringify(asked)}`);
      all.push(JSON.parse(body) as Echo);
    }
    const texts = new Set(
      all.map(({ url, headers: { host, 'x-request-id': id, date, ...headers } }) => JSON.stringify({ url, headers })),
    );
    t.is(texts.size, 1, JSON.stringify(all));
    return all[0] as Echo;
  };
  const statusOf = async (asked: { path?: string; headers?: Record<string, string> }): Promise<number> =>
    (await answer(lateHost, asked)).status;
  return { serve, seenOf, statusOf, asked: auth.seen };
}

/** The same credential demanded at two levels. */
const pairs: Readonly<Record<string, (one: ir.Access, other: ir.Access) => Demands>> = {
  'the Gateway and the route': (one, other) => ({ table: one, route: { route: other } }),
  'the Gateway, whose part may be switched off, and the rule': (one, other) => ({
    table: { ...one, overridable: ['jwt', 'apiKeys'] },
    route: { rule: other },
  }),
  'the route and the rule': (one, other) => ({ route: { route: one, rule: other } }),
};

for (const [where, demands] of every(3, Object.entries(pairs))) {
  test(`${where} both see a credential, and backends see it only if both let them`, async (t) => {
    const { serve, seenOf, statusOf } = await echoing(t);
    for (const [one, other] of [
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ] as const) {
      const forwarded = one && other;
      await serve(demands(jwt({ forwardToken: one }), jwt({ id: 'a/c/staff', forwardToken: other })));
      t.is((await seenOf({ headers: bearer })).headers.authorization, forwarded ? bearer.authorization : undefined);
      t.is(await statusOf({}), 401);
      await serve(demands(keys({ forwardKey: one }), keys({ forwardKey: other })));
      t.is((await seenOf({ headers: { 'x-key': 'k1' } })).headers['x-key'], forwarded ? 'k1' : undefined);
      t.is(await statusOf({ headers: { 'x-key': 'k2' } }), 401);
    }
  });

  thorough(test)(`${where}: a server that one of them asks gets no credential that the other keeps back`, async (t) => {
    const { serve, seenOf, asked } = await echoing(t);
    const forwardAuth: ir.ForwardAuth = {
      backend: 'default/auth/80',
      protocol: 'http',
      authority: 'auth',
      requestHeaders: ['authorization', 'x-key', 'cookie'],
      responseHeaders: [],
      toClient: [],
      timeoutMs: 60_000,
      failOpen: false,
      statusOnError: 503,
    };
    const shown = { headers: { ...bearer, cookie: 'a=b; token=k1', accept: 'text/html' }, path: '/x?a=b&key=k1' };
    const lookedFor = keys({
      from: [
        { kind: 'cookie', name: 'token' },
        { kind: 'query', name: 'key' },
      ],
    });
    for (const [one, other] of [
      [{ forwardAuth }, { ...jwt(), ...lookedFor }],
      [
        { ...jwt(), ...lookedFor },
        { ...jwt({ forwardToken: true }), forwardAuth },
      ],
    ] as const) {
      await serve(demands(one, other));
      await seenOf(shown);
      const { authorization, cookie, 'x-forwarded-uri': uri, 'x-original-url': url } = asked.at(-1) ?? {};
      t.deepEqual({ authorization, cookie, uri }, { authorization: undefined, cookie: 'a=b', uri: '/x?a=b' });
      t.true(String(url).endsWith('/x?a=b'));
    }
    await serve(demands({ forwardAuth }, { ...jwt({ forwardToken: true }) }));
    await seenOf(shown);
    t.is(asked.at(-1)?.authorization, bearer.authorization);
  });
}

/** At each level alone, and what a request then looks like to backends. */
const everywhere = test.macro(
  async (
    t: ExecutionContext,
    access: ir.Access,
    tries: readonly {
      path?: string;
      headers?: Record<string, string>;
      seen: Partial<Echo['headers']> & { url?: string };
    }[],
  ) => {
    const { serve, seenOf } = await echoing(t);
    for (const demands of [{ table: access }, { route: { route: access } }, { route: { rule: access } }]) {
      await serve(demands);
      for (const { seen, ...asked } of tries) {
        const { url, headers } = await seenOf(asked);
        for (const [name, value] of Object.entries(seen))
          t.is(name === 'url' ? url : headers[name], value, `${name} ${JSON.stringify({ demands, asked })}`);
      }
    }
  },
);

thorough(test)(
  'of cookies and of the query the credential goes, and all else stays as it is',
  everywhere,
  keys({
    from: [
      { kind: 'query', name: 'key' },
      { kind: 'cookie', name: 'k' },
    ],
  }),
  [
    { path: '/p?key=k1', seen: { url: '/p' } },
    { path: '/p?a=%20b+c&&b&key=k1&c=d=e&', seen: { url: '/p?a=%20b+c&&b&c=d=e&' } },
    { path: '/p?%6bey=k1&keys=1&Key=2&key', seen: { url: '/p?keys=1&Key=2' } },
    { path: '/p?a=b', headers: { cookie: 'k=k1' }, seen: { url: '/p?a=b', cookie: undefined } },
    { path: '/p?', headers: { cookie: 'k=k1' }, seen: { url: '/p?' } },
    { headers: { cookie: 'a=b; k=k1; c="d e"; kk=k1; k=k2' }, seen: { cookie: 'a=b; c="d e"; kk=k1' } },
    { headers: { cookie: 'k =k3;k=k1;a' }, seen: { cookie: 'a' } },
    { headers: { cookie: `k=k1;${' '.repeat(20_000)}a${' '.repeat(20_000)}; b` }, seen: { cookie: 'a; b' } },
    { path: `/p?key=k1&${'%'.repeat(10_000)}`, seen: { url: `/p?${'%'.repeat(10_000)}` } },
  ],
);

thorough(test)(
  'tokens go from all of their places, also from cookies and the query',
  everywhere,
  jwt({
    from: [
      { kind: 'cookie', name: 'token' },
      { kind: 'query', name: 'token' },
      { kind: 'header', name: 'x-token', prefix: 'Token ' },
    ],
  }),
  [
    { headers: { cookie: `token=${token}; a=b` }, seen: { cookie: 'a=b' } },
    { path: `/?token=${token}&a=b`, seen: { url: '/?a=b' } },
    { headers: { 'x-token': `Token ${token}` }, seen: { 'x-token': undefined } },
    { headers: { 'x-token': 'none', cookie: `token=${token}` }, seen: { 'x-token': 'none', cookie: undefined } },
  ],
);

thorough(test)(
  'where tokens are optional, what is no token stays, and a scheme in other letters does not',
  everywhere,
  { jwt: { optional: true, providers: [staff()] } },
  [
    { headers: basic('ann', 'x'), seen: basic('ann', 'x') },
    { headers: bearer, seen: { authorization: undefined } },
    { headers: { authorization: `bearer ${token}` }, seen: { authorization: undefined } },
  ],
);

const machine = signer('m', 'ES256');
const machineToken = machine.token({ iss: 'https://machines.test' });
const machines = (given: Partial<ir.JwtProvider>): ir.JwtProvider =>
  staff({
    id: 'a/b/machines',
    issuer: 'https://machines.test',
    keys: JSON.stringify({ keys: [machine.jwk] }),
    ...given,
  });

for (const optional of every(2, [false, true]))
  test(
    `of providers with the same place, each says whether its own tokens are forwarded${optional ? ', which are optional' : ''}`,
    everywhere,
    { jwt: { optional, providers: [staff({ forwardToken: true }), machines({})] } },
    [
      { headers: bearer, seen: bearer },
      { headers: { authorization: `Bearer ${machineToken}` }, seen: { authorization: undefined } },
    ],
  );

thorough(test)(
  'of several credentials of which one is enough, only that goes that was looked at',
  everywhere,
  {
    any: {
      allow: [{ address: '10.0.0.0', prefixLength: 8 }],
      basicAuth: { htpasswd: sensitive(`ann:${sha('secret')}\n`) },
      apiKeys: {
        keys: sensitive(JSON.stringify([['ann', 'k1']])),
        from: [
          { kind: 'header', name: 'x-key' },
          { kind: 'cookie', name: 'k' },
        ],
        forwardKey: false,
      },
      jwt: {
        optional: false,
        providers: [
          staff({
            from: [
              { kind: 'header', name: 'authorization', prefix: 'Bearer ' },
              { kind: 'query', name: 'token' },
            ],
          }),
        ],
      },
    },
  },
  [
    {
      headers: { ...basic('ann', 'secret'), 'x-key': 'k1', cookie: 'k=k1' },
      seen: { ...basic('ann', 'secret'), 'x-key': 'k1', cookie: 'k=k1' },
    },
    {
      headers: { ...bearer, 'x-key': 'k1', cookie: 'k=k1; a=b' },
      seen: { ...bearer, 'x-key': undefined, cookie: 'a=b' },
    },
    { headers: bearer, path: `/?token=${token}`, seen: { authorization: undefined, url: '/' } },
  ],
);

thorough(test)(
  'an address that is enough leaves all credentials in the request',
  everywhere,
  {
    any: {
      allow: [{ address: '127.0.0.0', prefixLength: 8 }],
      apiKeys: {
        keys: sensitive(JSON.stringify([['ann', 'k1']])),
        from: [{ kind: 'header', name: 'x-key' }],
        forwardKey: false,
      },
    },
  },
  [{ headers: { 'x-key': 'k1' }, seen: { 'x-key': 'k1' } }],
);

thorough(test)('a route that switches a part off gets the credential, and only of that part', async (t) => {
  const { serve, seenOf } = await echoing(t);
  const shown = { headers: { ...bearer, 'x-key': 'k1', cookie: `token=${token}; k=k1` } };
  const demanded = {
    ...jwt({
      from: [
        { kind: 'header', name: 'authorization', prefix: 'Bearer ' },
        { kind: 'cookie', name: 'token' },
      ],
    }),
    ...keys({
      from: [
        { kind: 'header', name: 'x-key' },
        { kind: 'cookie', name: 'k' },
      ],
    }),
  };
  await serve({ table: { ...demanded, overridable: ['jwt', 'apiKeys'] }, route: { overrides: ['jwt'] } });
  const { authorization, cookie, 'x-key': seenKey } = (await seenOf(shown)).headers;
  t.deepEqual(
    { authorization, cookie, seenKey },
    { authorization: bearer.authorization, cookie: `token=${token}`, seenKey: undefined },
  );
  await serve({ table: { ...demanded, overridable: ['apiKeys'] }, route: { overrides: ['jwt', 'apiKeys'] } });
  const other = (await seenOf(shown)).headers;
  t.deepEqual([other.authorization, other.cookie, other['x-key']], [undefined, 'k=k1', 'k1']);
});

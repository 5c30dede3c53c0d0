import test from 'ava';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import {
  exactHost,
  gatewayTarget,
  lateHost,
  loginPolicy,
  loginWorld,
  routeTarget,
  sends302,
  webRoute,
} from '../support/login-world.ts';
import { thorough } from '../support/repetitions.ts';
import { until } from '../support/until.ts';

/** What a policy may say of a login, with a real provider and a real Envoy. */

test('backends see of a login what the policy forwards, and nothing that clients pretend', async (t) => {
  const world = await loginWorld(t, {
    routes: [webRoute('web', exactHost), webRoute('wild', '*.wild.test')],
    policies: ({ provider }) => [
      loginPolicy('all', routeTarget('web'), provider, {
        forward: { accessToken: true, idTokenHeader: 'X-Id-Token', cookies: true },
      }),
      loginPolicy('token', routeTarget('wild'), provider, { forward: { idTokenHeader: 'x-id-token' } }),
    ],
  });
  const seen = async (host: string) => {
    const browser = new ScriptedBrowser();
    await sends302(browser, world.page(host));
    t.is((await browser.logIn(world.page(host), 'ann')).status, 200);
    const headers = { 'x-id-token': 'forged', authorization: 'Basic own', cookie: '' };
    const { cookie } = {
      cookie: browser
        .cookiesFor(world.page(host))
        .map(({ name, value }) => `${name}=${value}`)
        .join('; '),
    };
    t.is(
      (await browser.ask(world.page(host), { headers: { ...headers, cookie: `mine=1; ${cookie}; other=2` } })).status,
      200,
    );
    return world.web.seen.at(-1) ?? {};
  };
  const all = await seen(exactHost);
  t.regex(all.authorization ?? '', /^Bearer \S{20,}/);
  t.regex(String(all['x-id-token']), /^ey[^.]+\.[^.]+\.[^.]+$/);
  t.regex(all.cookie ?? '', /__Host-gw-[0-9a-f]{16}-id=ey/);
  t.regex(all.cookie ?? '', /mine=1/);
  const token = await seen(lateHost);
  t.is(token.authorization, 'Basic own');
  t.regex(String(token['x-id-token']), /^ey[^.]+\.[^.]+\.[^.]+$/);
  t.deepEqual(token.cookie?.split('; ').sort(), ['mine=1', 'other=2']);
});

thorough(test)(
  'cookies that a Gateway’s policy forwards reach backends beside a route that keeps its own',
  async (t) => {
    const world = await loginWorld(t, {
      policies: ({ provider }) => [
        loginPolicy('all', gatewayTarget, provider, { forward: { cookies: true } }, { overridable: ['oidc'] }),
        loginPolicy('own', routeTarget('wild'), provider, {}, { overrides: ['oidc'] }),
      ],
    });
    const seen = async (host: string) => {
      const browser = new ScriptedBrowser();
      await sends302(browser, world.page(host));
      t.is((await browser.logIn(world.page(host), 'ann')).status, 200);
      return world.web.seen.at(-1)?.cookie;
    };
    t.is(await seen(lateHost), undefined);
    t.regex((await seen(exactHost)) ?? '', /__Host-gw-[0-9a-f]{16}-id=ey/);
  },
);

thorough(test)('a login outlives its token, by a refresh in the middle of a request', async (t) => {
  const world = await loginWorld(t, {
    configuration: { ttl: { AccessToken: 1, IdToken: 3600 }, issueRefreshToken: async () => true },
    policies: ({ provider }) => [
      loginPolicy('login', gatewayTarget, provider, { scopes: ['offline_access'], forward: { accessToken: true } }),
    ],
  });
  const browser = new ScriptedBrowser();
  const url = world.page(lateHost, '/x');
  await sends302(browser, url);
  t.is((await browser.logIn(url, 'ann')).status, 200);
  const first = world.web.seen.at(-1)?.authorization;
  const page = await until('the token to be renewed', async () => {
    const answer = await browser.ask(url);
    return answer.setCookies.length > 0 && answer;
  });
  t.is(page.status, 200);
  t.regex(page.setCookies.join(' '), /-hmac=.*-access=/);
  t.not(world.web.seen.at(-1)?.authorization, first);
  t.is((await browser.ask(url)).status, 200);
});

thorough(test)(
  'who logs out is logged out, here and at the provider, and comes back to where the policy says',
  async (t) => {
    const world = await loginWorld(t, {
      policies: ({ provider, port }) => [
        loginPolicy('login', routeTarget('web'), provider, {
          logout: { path: '/logout', redirectURL: `https://${exactHost}:${port}/bye` },
        }),
      ],
      routes: [
        webRoute('web', exactHost, { matches: [{ path: { type: 'PathPrefix', value: '/private' } }] }),
        webRoute('bye', exactHost, { matches: [{ path: { type: 'Exact', value: '/bye' } }] }),
      ],
    });
    const browser = new ScriptedBrowser();
    const url = world.page(exactHost, '/private/a');
    await sends302(browser, url);
    t.is((await browser.logIn(url, 'ann')).body, 'page /private/a', 'the callback is on no path of the route');
    t.is((await browser.ask(world.page(exactHost, '/other'))).status, 404);
    const out = await browser.ask(world.page(exactHost, '/logout'));
    t.is(out.status, 302);
    const to = new URL(out.location ?? '');
    t.is(to.origin, world.provider.url);
    t.is(to.searchParams.get('post_logout_redirect_uri'), world.page(exactHost, '/bye').href);
    t.regex(to.searchParams.get('id_token_hint') ?? '', /^ey/);
    for (const deleted of out.setCookies)
      t.regex(deleted, /^__Host-gw-[^;]*=deleted.*expires=Thu, 01 Jan 1970.*; Secure/i);
    t.deepEqual(
      browser.cookiesFor(url).filter(({ name }) => /-(hmac|access|id|expires)$/.test(name)),
      [],
    );
    t.is((await browser.ask(url)).status, 302);
  },
);

thorough(test)('one login is good on all hosts of a domain, by one URL that the provider knows', async (t) => {
  const world = await loginWorld(t, {
    hosts: ['auth.wild.test'],
    routes: [webRoute('a', 'a.wild.test'), webRoute('b', 'b.wild.test'), webRoute('auth', 'auth.wild.test')],
    policies: ({ provider, port }) =>
      ['a', 'b', 'auth'].map((name) =>
        loginPolicy(name, routeTarget(name), provider, {
          session: 'staff',
          cookies: { domain: 'wild.test' },
          redirectURL: `https://auth.wild.test:${port}/oauth2/callback`,
        }),
      ),
  });
  const browser = new ScriptedBrowser();
  const [a, b] = [world.page('a.wild.test', '/a?x=y'), world.page('b.wild.test', '/b')];
  await sends302(browser, a);
  await sends302(browser, world.page('auth.wild.test'));
  await sends302(browser, b);
  t.is((await browser.logIn(a, 'ann')).body, 'page /a?x=y');
  t.is((await browser.ask(b)).body, 'page /b', 'no other login');
  t.regex(browser.cookies.map(({ name }) => name).join(' '), /__Secure-gw-[0-9a-f]{16}-hmac/);
});

thorough(test)(
  'cookies last as long as a policy says, and go along with pages of other sites where it says so',
  async (t) => {
    const api = 'https://api.example.com/orders';
    const world = await loginWorld(t, {
      configuration: {
        issueRefreshToken: async () => true,
        features: {
          resourceIndicators: {
            enabled: true,
            getResourceServerInfo: async (_, resource) => ({ scope: `read:${new URL(resource).hostname}` }),
          },
        },
      },
      policies: ({ provider }) => [
        loginPolicy('own', routeTarget('web'), provider, {
          resources: [api],
          cookies: { sameSite: 'None' },
          lifetimes: { refreshToken: '90m', signIn: '2m' },
        }),
        loginPolicy('usual', routeTarget('wild'), provider, {}),
      ],
    });
    const browser = new ScriptedBrowser();
    const url = world.page(exactHost, '/x');
    await sends302(browser, url);
    const sent = await new ScriptedBrowser().ask(url);
    t.is(new URL(sent.location ?? '').searchParams.get('resource'), api);
    for (const part of ['nonce', 'verifier'])
      t.regex(String(sent.setCookies.find((text) => text.includes(`-${part}`))), /Max-Age=120;.*SameSite=None/i);
    t.is((await browser.logIn(url, 'ann')).status, 200);
    t.is((await browser.ask(url)).status, 200);
    const refresh = browser.cookies.find(({ name }) => name.endsWith('-refresh'));
    t.regex(String(refresh?.attributes), /Max-Age=5400;.*SameSite=None/i);
    await sends302(browser, world.page(lateHost));
    for (const text of (await new ScriptedBrowser().ask(world.page(lateHost))).setCookies)
      t.regex(text, /Max-Age=600;.*SameSite=Lax/i);
  },
);

test('scripts get 401, and requests with a token go to jwt', async (t) => {
  const world = await loginWorld(t, {
    policies: ({ provider }) => [
      loginPolicy(
        'login',
        gatewayTarget,
        provider,
        {
          denyRedirect: [
            { path: { prefix: '/api/' } },
            { path: { exact: '/feed' } },
            { header: { name: 'X-Requested-With' } },
            { header: { name: 'accept', prefix: 'application/json' } },
          ],
          passThrough: [{ header: { name: 'authorization', prefix: 'Bearer ' } }],
          forward: { idTokenHeader: 'x-id-token' },
        },
        {
          jwt: {
            providers: [
              {
                name: 'id',
                issuer: provider.url,
                jwks: { discovery: {}, caCertificateRefs: [{ name: 'id-ca' }] },
                from: { headers: [{ name: 'x-id-token' }, { name: 'authorization', prefix: 'Bearer ' }] },
                claimsToHeaders: [{ claim: 'sub', header: 'x-user' }],
                forwardToken: true,
              },
            ],
          },
        },
      ),
    ],
  });
  const browser = new ScriptedBrowser();
  for (const host of [exactHost, lateHost]) {
    const at = (path: string) => world.page(host, path);
    await sends302(browser, at('/'));
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await new ScriptedBrowser().ask(at(path), { headers })).status;
    t.is(await status('/api'), 401);
    t.is(await status('/api?x'), 401);
    t.is(await status('/api/orders'), 401);
    t.is(await status('/apix'), 302);
    t.is(await status('/feed'), 401);
    t.is(await status('/feed/1'), 302);
    t.is(await status('/', { 'x-requested-with': 'fetch' }), 401);
    t.is(await status('/', { accept: 'application/json, */*' }), 401);
    t.is(await status('/', { authorization: 'Bearer no-token' }), 401);
    t.is(await status('/', { authorization: 'Bearer no-token', 'x-id-token': 'forged' }), 401);
    t.is(await status('/', { authorization: 'Basic YTpi' }), 302);
  }
  const user = new ScriptedBrowser();
  t.is((await user.logIn(world.page(lateHost, '/'), 'ann')).status, 200);
  t.is(world.web.seen.at(-1)?.['x-user'], 'ann');
  const token = String(world.web.seen.at(-1)?.['x-id-token']);
  const script = new ScriptedBrowser();
  const headers = { authorization: `Bearer ${token}`, 'x-user': 'root' };
  t.is((await script.ask(world.page(lateHost, '/api'), { headers })).status, 200);
  t.is(world.web.seen.at(-1)?.['x-user'], 'ann');
  t.is(
    (await script.ask(world.page(exactHost), { headers: { 'x-id-token': token } })).status,
    302,
    'a token is no login',
  );
});

thorough(test)('tokens that no cookie could hold are cut into several', async (t) => {
  const world = await loginWorld(t, {
    configuration: {
      claims: { openid: ['sub', 'groups'] },
      conformIdTokenClaims: false,
      findAccount: (_, accountId) => ({
        accountId,
        claims: () => ({ sub: accountId, groups: Array.from({ length: 400 }, (_, at) => `group-number-${at}`) }),
      }),
    },
    policies: ({ provider }) => [
      loginPolicy('login', gatewayTarget, provider, {
        logout: { path: '/logout' },
        forward: { idTokenHeader: 'x-id-token' },
      }),
    ],
  });
  const browser = new ScriptedBrowser();
  const url = world.page(lateHost, '/x');
  await sends302(browser, url);
  t.is((await browser.logIn(url, 'ann')).status, 200);
  t.true(String(world.web.seen.at(-1)?.['x-id-token']).length > 8000);
  for (const { name, value } of browser.cookiesFor(url)) t.true(name.length + value.length <= 4096, name);
  t.is((await browser.ask(url)).status, 200);
  t.is(world.web.seen.at(-1)?.cookie, undefined);
  await browser.ask(world.page(lateHost, '/logout'));
  t.is((await browser.ask(url)).status, 302);
});

thorough(test)('what denies a login is reported without the query, in failures and in Envoy’s own log', async (t) => {
  const world = await loginWorld(t, {
    policies: ({ provider }) => [
      loginPolicy('login', gatewayTarget, provider, { denyRedirect: [{ path: { prefix: '/api' } }] }),
    ],
  });
  const browser = new ScriptedBrowser();
  await sends302(browser, world.page(exactHost));
  const hush = 'hush-hush';
  const asked: readonly (readonly [path: string, details: string])[] = [
    [`/api?q=${hush}`, 'Unauthorized,_and_redirecting_to_OAuth_server_is_not_allowed'],
    [`/oauth2/callback?code=${hush}`, 'Code_or_state_query_param_does_not_exist'],
    [`/oauth2/callback?error=${hush}&state=${hush}`, 'OAuth_server_returned_an_error'],
    [
      `/oauth2/callback?code=1&state=${Buffer.from(`{"a":"${hush}"}`).toString('base64url')}`,
      'State_query_param_does_not_contain_url_or_CSRF_token',
    ],
  ];
  const cookie = `${browser.cookiesFor(world.page(exactHost))[0]?.name.slice(0, 28)}access=${hush}`;
  for (const [path] of asked)
    t.is((await new ScriptedBrowser().ask(world.page(exactHost, path), { headers: { cookie } })).status, 401);
  const port = world.gateway.control.ports.layout1;
  type Item = {
    readonly details: string;
    readonly deniedBy: readonly { readonly part: string }[];
    readonly explanation: object | null;
  };
  const failures = await until('the failures to be reported', async () => {
    const { body } = await world.gateway.json(port as number, '/v1/failures');
    const { items } = body as { readonly items: readonly Item[] };
    return items.length === asked.length && items;
  });
  for (const [, details] of asked) {
    const found = failures.find((each) => each.details.replaceAll(' ', '_') === details);
    t.is(found?.deniedBy[0]?.part, 'oidc', details);
    t.truthy(found?.explanation, details);
  }
  t.false(JSON.stringify(world.gateway.log).includes(hush));
  t.false(JSON.stringify(failures).includes(hush));
});

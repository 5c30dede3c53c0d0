import test from 'ava';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { json, signer } from '../support/key-server.ts';
import {
  exactHost,
  gatewayTarget,
  lateHost,
  loginPolicy,
  loginWorld,
  routeTarget,
  webRoute,
} from '../support/login-world.ts';
import { thorough } from '../support/repetitions.ts';
import { until, untilFits } from '../support/until.ts';

// A stranger with a browser of his own, a tenant who writes policies, and a provider that lies. The victims are users who log in, and neighbours.

const sends302 = (url: URL) =>
  until(
    `${url.hostname} to send browsers to the provider`,
    async () => (await new ScriptedBrowser().ask(url)).status === 302,
  );

const session = /^__(Host|Secure)-gw-[0-9a-f]{16}-(hmac|expires|access|id)$/;

test('cookies that are forged, changed, ended or of another host or session let no client in', async (t) => {
  const world = await loginWorld(t, {
    routes: [webRoute('web', exactHost), webRoute('wild', '*.wild.test'), webRoute('own', 'own.wild.test')],
    policies: ({ provider }) => [
      loginPolicy('login', gatewayTarget, provider, {}, { overridable: ['oidc'] }),
      loginPolicy('other', routeTarget('own'), provider, {}, { overrides: ['oidc'] }),
    ],
    hosts: [exactHost, lateHost, 'own.wild.test'],
  });
  const url = world.page(exactHost);
  await sends302(url);
  await sends302(world.page('own.wild.test'));
  const victim = new ScriptedBrowser();
  t.is((await victim.logIn(url, 'ann')).status, 200);
  const good = victim.cookiesFor(url).filter(({ name }) => session.test(name));
  t.is(good.length, 4);
  const ask = async (host: string, cookies: readonly { readonly name: string; readonly value: string }[]) => {
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    return (await new ScriptedBrowser().ask(world.page(host), { headers: { cookie } })).status;
  };
  const changed = (part: string, change: (value: string) => string) =>
    good.map(({ name, value }) => ({ name, value: name.endsWith(part) ? change(value) : value }));
  t.is(await ask(exactHost, good), 200, 'the cookies themselves');
  const before = world.web.requests.length;
  t.is(await ask(lateHost, good), 302, 'another host');
  t.is(await ask('own.wild.test', good), 302, 'another session');
  const names = (
    await (async () => {
      const other = new ScriptedBrowser();
      await other.ask(world.page('own.wild.test'));
      return other.cookiesFor(world.page('own.wild.test'));
    })()
  )[0]?.name.slice(0, 28);
  const renamed = good.map(({ name, value }) => ({ name: `${names}${name.slice(28)}`, value }));
  t.is(await ask('own.wild.test', renamed), 302, 'under the names of the other session');
  t.is(
    await ask(
      exactHost,
      changed('expires', (value) => String(Number(value) + 3600)),
    ),
    302,
    'a longer time',
  );
  t.is(
    await ask(
      exactHost,
      changed('access', (value) => value.slice(0, -8)),
    ),
    302,
    'another token',
  );
  t.is(
    await ask(
      exactHost,
      changed('hmac', () => ''),
    ),
    302,
    'no signature',
  );
  t.is(
    await ask(
      exactHost,
      good.filter(({ name }) => !name.endsWith('-id')),
    ),
    302,
    'one left out',
  );
  const forged = ['hmac', 'expires', 'access', 'id'].map((part) => ({
    name: `${good[0]?.name.replace(/[a-z]+$/, part)}`,
    value: part === 'expires' ? '9999999999' : 'x',
  }));
  t.is(await ask(exactHost, forged), 302, 'all forged');
  t.is(world.web.requests.length, before, 'the backend saw none of it');
});

test('what comes back to the callback is for the browser that was sent out, and once', async (t) => {
  const world = await loginWorld(t, { policies: ({ provider }) => [loginPolicy('login', gatewayTarget, provider)] });
  const url = world.page(lateHost, '/secret');
  await sends302(url);
  const [mallory, victim] = [new ScriptedBrowser(), new ScriptedBrowser()];
  const isCallback = (next: URL) => next.pathname === '/oauth2/callback';
  const caught = async (browser: ScriptedBrowser, name: string) =>
    new URL((await browser.logIn(url, name, isCallback)).location ?? '');
  const theirs = await caught(mallory, 'mallory');
  await victim.ask(url);
  t.is((await victim.ask(theirs)).status, 401, "the victim is not logged in by the stranger's code");
  t.false(victim.cookies.some(({ name }) => session.test(name)));
  const own = await caught(victim, 'ann');
  t.is((await mallory.ask(own)).status, 401, "a stranger cannot use the victim's code");
  const mixed = new URL(own);
  mixed.searchParams.set('code', theirs.searchParams.get('code') ?? '');
  t.is((await victim.ask(mixed)).status, 401, 'a code goes with the browser that asked for it');
  const elsewhere = new URL(own);
  const state = JSON.parse(Buffer.from(own.searchParams.get('state') ?? '', 'base64url').toString());
  for (const forged of [{ ...state, csrf_token: 'x.y' }, { url: 'https://evil.test/' }, []]) {
    elsewhere.searchParams.set('state', Buffer.from(JSON.stringify(forged)).toString('base64url'));
    t.is((await new ScriptedBrowser().ask(elsewhere)).status, 401);
  }
  const again = new ScriptedBrowser();
  const mine = await caught(again, 'ann');
  t.is((await again.ask(mine)).status, 302);
  t.is((await again.ask(url)).status, 200);
  t.is((await again.ask(mine)).status, 401, 'a second time');
});

thorough(test)('no Host, path or header sends a browser to another site than the provider', async (t) => {
  const world = await loginWorld(t, {
    policies: ({ provider }) => [loginPolicy('login', gatewayTarget, provider, { logout: { path: '/logout' } })],
  });
  await sends302(world.page(exactHost));
  const urls = [
    '/',
    '//evil.test/',
    '/\\evil.test',
    '/?next=https://evil.test',
    '/oauth2/../',
    '/logout',
    '/logout?rd=https://evil.test',
  ];
  const headers: readonly Record<string, string>[] = [
    {},
    { host: 'evil.test' },
    { host: 'evil.test:443', 'x-forwarded-host': 'evil.test' },
    { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'evil.test' },
    { 'x-original-url': 'https://evil.test/' },
  ];
  for (const path of urls) {
    for (const more of headers) {
      const page = await new ScriptedBrowser().ask(new URL(world.page(exactHost).origin + path), { headers: more });
      if (page.location !== undefined)
        t.is(new URL(page.location).origin, world.provider.url, `${path} ${JSON.stringify(more)}`);
      else t.true([400, 401, 404, 421].includes(page.status), `${path} ${JSON.stringify(more)}: ${page.status}`);
    }
  }
  const page = await new ScriptedBrowser().visit(world.page(exactHost), { headers: { host: 'evil.test' } });
  t.is(page.status, 400, 'the provider knows of no such host');
});

thorough(test)(
  'a provider that lies lets no client in, is asked nowhere else, and its neighbour is served all along',
  async (t) => {
    const urls = (name: string) => ({
      authorization_endpoint: `https://${name}.test/auth`,
      jwks_uri: 'https://localhost/keys',
    });
    const lies: Readonly<Record<string, readonly [object | string, RegExp, number]>> = {
      issuer: [
        { issuer: 'https://mallory.test', ...urls('a'), token_endpoint: 'https://a.test/' },
        /DiscoveryFailed .*of issuer "https:\/\/mallory/,
        503,
      ],
      huge: [' '.repeat(2 * 1024 * 1024), /DiscoveryFailed .*more than 1024 KiB/, 503],
      text: ['no document', /DiscoveryFailed .*no JSON object/, 503],
    };
    const targets: Readonly<Record<string, string>> = {
      metadata: 'https://169.254.169.254/token',
      cluster: 'https://gatewright-admin.gatewright-system.svc/token',
      other: 'https://web.other.svc.cluster.local/token',
    };
    const names = [...Object.keys(lies), ...Object.keys(targets), 'plain'];
    const world = await loginWorld(t, {
      routes: [webRoute('web', exactHost), ...names.map((name) => webRoute(name, `${name}.bad.test`))],
      policies: ({ provider }) => [
        loginPolicy('good', routeTarget('web'), provider),
        ...names.map((name) => loginPolicy(name, routeTarget(name), { url: `${provider.url}/${name}` })),
      ],
    });
    const honest = world.provider.answer;
    const { provider } = world;
    const keys = { keys: [] as object[] };
    provider.answer = (request, response) => {
      const [, name = '', rest = ''] = /^\/([a-z]+)(\/.*)$/.exec(request.url ?? '') ?? [];
      if (!names.includes(name)) return honest(request, response);
      if (rest === '/keys') return json(JSON.stringify(keys))(request, response);
      const common = {
        issuer: `${provider.url}/${name}`,
        authorization_endpoint: `${provider.url}/auth`,
        jwks_uri: `${provider.url}/${name}/keys`,
      };
      const document = lies[name]?.[0] ?? {
        ...common,
        token_endpoint: name === 'plain' ? 'http://localhost/token' : targets[name],
      };
      return json(typeof document === 'string' ? document : JSON.stringify(document))(request, response);
    };
    keys.keys.push((await signer('one')).jwk);
    world.gateway.write('trust.yaml', {
      ...(provider.trust('id-ca') as object),
      metadata: { name: 'id-ca', annotations: { again: 'yes' } },
    });
    await sends302(world.page(exactHost));
    const say = async (name: string, message: RegExp, status: number) => {
      await untilFits(
        `${name} to say so`,
        () => world.conditions(name),
        (text) => message.test(text),
      );
      await until(
        `${name} to be closed`,
        async () => (await new ScriptedBrowser().ask(world.page(`${name}.bad.test`))).status === status,
      );
    };
    for (const [name, [, message, status]] of Object.entries(lies)) await say(name, message, status);
    for (const name of Object.keys(targets)) await say(name, /HostnameNotAllowed .*the token endpoint/, 500);
    await say('plain', /DiscoveryFailed .*token_endpoint with https/, 503);
    t.is((await new ScriptedBrowser().logIn(world.page(exactHost), 'ann')).status, 200);
  },
);

thorough(test)(
  'a token endpoint that is slow, endless or answers nonsense ends in 401, and nothing else waits for it',
  async (t) => {
    const world = await loginWorld(t, {
      routes: [webRoute('web', exactHost), webRoute('open', 'open.test')],
      policies: ({ provider }) => [loginPolicy('login', routeTarget('web'), provider)],
    });
    const { provider } = world;
    const honest = provider.answer;
    const url = world.page(exactHost);
    await sends302(url);
    const asked: string[] = [];
    const answers: Readonly<Record<string, typeof honest>> = {
      nonsense: json('nonsense'),
      empty: json('{}'),
      list: json('[]'),
      error: (_, response) => response.writeHead(500).end(),
      broken: (request) => request.socket.destroy(),
      header: json(JSON.stringify({ access_token: 'a\r\nset-cookie: x=1', expires_in: 5 })),
      negative: json(JSON.stringify({ access_token: 'a', expires_in: -5 })),
      endless: (_, response) => {
        response.writeHead(200);
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65536))) {}
        };
        response.on('drain', more);
        more();
      },
      slow: (_, response) => void response.writeHead(200),
    };
    const isNoToken = new Set(['header']);
    for (const [name, answer] of Object.entries(answers)) {
      provider.answer = (request, response) => {
        if (request.url !== '/token') return honest(request, response);
        asked.push(name);
        return answer(request, response);
      };
      const browser = new ScriptedBrowser();
      const page = browser.logIn(url, 'ann');
      await until(`the endpoint that is ${name} to be asked`, () => asked.includes(name));
      t.is((await new ScriptedBrowser().ask(world.page('open.test'))).status, 200, name);
      // A token that no header can hold is as good as none: the browser is sent to and fro until it gives up.
      const ends = await page.then(
        ({ status }) => String(status),
        (error: Error) => error.message,
      );
      t.regex(ends, isNoToken.has(name) ? /^more than 20 redirects/ : /^401$/, name);
      t.is((await browser.ask(url)).status, 302, name);
    }
    provider.answer = honest;
    t.is((await new ScriptedBrowser().logIn(url, 'ann')).status, 200);
  },
);

test('a tenant gets no Secret of another namespace, and no login of its sessions', async (t) => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'oidc', namespace: 'bank' },
    data: { 'client-secret': 'czNjcmV0LXMzY3JldA==' },
  };
  const world = await loginWorld(t, {
    routes: [webRoute('web', exactHost), webRoute('thief', 'thief.test'), secret],
    policies: ({ provider }) => [
      loginPolicy('login', routeTarget('web'), provider, { session: 'staff' }),
      loginPolicy('thief', routeTarget('thief'), provider, {
        client: { id: 'gw', secretRef: { name: 'oidc', namespace: 'bank' } },
      }),
    ],
  });
  await sends302(world.page(exactHost));
  await untilFits(
    'the grant to be missed',
    () => world.conditions('thief'),
    (text) => /ResolvedRefs=False RefNotPermitted/.test(text),
  );
  t.is((await new ScriptedBrowser().ask(world.page('thief.test'))).status, 500);
  t.regex(world.conditions('login'), /ResolvedRefs=True/);
});

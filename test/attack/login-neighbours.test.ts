import test from 'ava';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import {
  clientSecret,
  exactHost,
  loginPolicy,
  loginWorld,
  routeTarget,
  sends302,
  webRoute,
} from '../support/login-world.ts';
import { until } from '../support/until.ts';

// A tenant of the namespace `bank`, whose routes share hosts and listeners with the victim's, and who writes policies of his own.

type Named = { readonly metadata: { readonly name: string } };

const inBank = (objects: readonly object[]): object[] =>
  objects.map((object) => ({ ...object, metadata: { ...(object as Named).metadata, namespace: 'bank' } }));

/** A route of the tenant, at the victim's Gateway. */
function bankRoute(name: string, host: string, matches: readonly object[]): object {
  const [route] = inBank([webRoute(name, host, { matches })]) as [{ readonly spec: object }];
  return { ...route, spec: { ...route.spec, parentRefs: [{ name: 'edge', namespace: 'default' }] } };
}

const isOurs = (cookie: string | undefined) => /__(Host|Secure)-gw-/.test(cookie ?? '');

test('a tenant’s route on the host of a login gets no cookie of it, and makes nothing of the code that it gets', async (t) => {
  const thief = await startBackend(t);
  const world = await loginWorld(t, {
    routes: [
      webRoute('web', exactHost, { matches: [{ path: { value: '/private' } }] }),
      ...inBank(serviceObjects('web', [thief.port])),
      bankRoute('all', exactHost, [{ path: { value: '/' } }]),
      // More exact than the victim's: browsers that come back from the provider come to it.
      bankRoute('callback', exactHost, [
        { path: { type: 'Exact', value: '/oauth2/callback' }, headers: [{ name: 'x-victim', value: 'yes' }] },
      ]),
    ],
    policies: ({ provider }) => [loginPolicy('login', routeTarget('web'), provider, { logout: { path: '/logout' } })],
  });
  const url = world.page(exactHost, '/private');
  const browser = new ScriptedBrowser();
  await sends302(browser, url);
  await until('the tenant’s route', async () => (await browser.ask(world.page(exactHost, '/x'))).status === 200);
  t.is((await browser.logIn(url, 'ann')).status, 200);
  t.true(
    isOurs(
      browser
        .cookiesFor(url)
        .map(({ name }) => name)
        .join(),
    ),
  );
  const cookie = browser
    .cookiesFor(url)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
  t.is((await browser.ask(world.page(exactHost))).status, 200);
  t.is(thief.seen.at(-1)?.cookie, undefined);
  // Behind a backend there may be another Gatewright, which has the browser log in itself.
  const inner = '__Host-gw-00112233aabbccdd-hmac=x';
  const headers = { cookie: `mine=1; ${cookie}; other=2; ${inner}` };
  t.is((await browser.ask(world.page(exactHost), { headers })).status, 200);
  t.deepEqual(thief.seen.at(-1)?.cookie?.split('; '), ['mine=1', 'other=2', inner]);

  const victim = new ScriptedBrowser();
  const isCallback = (next: URL) => next.pathname === '/oauth2/callback';
  const back = new URL((await victim.logIn(url, 'ann', isCallback)).location ?? '');
  t.is((await victim.ask(back, { headers: { 'x-victim': 'yes' } })).status, 200, 'it comes to the tenant');
  const seen = thief.seen.at(-1)?.cookie;
  t.false(isOurs(seen), seen);
  for (const stolen of ['', seen ?? '']) {
    const mallory = new ScriptedBrowser();
    await mallory.ask(url);
    const own = mallory.cookiesFor(back).map(({ name, value }) => `${name}=${value}`);
    const page = await mallory.ask(back, { headers: { cookie: [...own, stolen].join('; ') } });
    t.is(page.status, 401, page.setCookies.join());
  }
  t.is((await victim.ask(back)).status, 302, 'the victim can');
});

test('a tenant with the same provider, client, session and domain shares no login', async (t) => {
  const hosts = ['a.wild.test', 'b.wild.test'] as const;
  const same = { session: 'staff', cookies: { domain: 'wild.test' } };
  const world = await loginWorld(t, {
    hosts,
    routes: [
      webRoute('a', hosts[0]),
      ...inBank([clientSecret()]),
      bankRoute('b', hosts[1], [{ path: { value: '/' } }]),
    ],
    policies: ({ provider }) => [
      loginPolicy('a', routeTarget('a'), provider, same),
      ...inBank([loginPolicy('b', routeTarget('b'), provider, same), provider.trust('id-ca')]),
    ],
  });
  const urls = hosts.map((host) => world.page(host));
  const cookies: (readonly { readonly name: string; readonly value: string }[])[] = [];
  for (const url of urls) {
    const browser = new ScriptedBrowser();
    await sends302(browser, url);
    await browser.logIn(url, 'ann');
    cookies.push(browser.cookiesFor(url));
  }
  const prefixes = cookies.map((each) => each.map(({ name }) => name.slice(0, 30)).find(isOurs));
  t.is(new Set(prefixes).size, 2, prefixes.join());
  for (const [at, url] of urls.entries()) {
    const others = cookies[1 - at] ?? [];
    for (const name of [(own: string) => own, (own: string) => `${prefixes[at]}${own.slice(30)}`]) {
      const cookie = others.map((each) => `${name(each.name)}=${each.value}`).join('; ');
      const page = await new ScriptedBrowser().ask(url, { headers: { cookie } });
      t.is(page.status, 302, cookie);
    }
  }
});

test('a state that names another site sends no browser there', async (t) => {
  const shared = 'a.wild.test';
  const world = await loginWorld(t, {
    hosts: [exactHost, shared],
    routes: [webRoute('web', exactHost), webRoute('a', shared)],
    policies: ({ provider }) => [
      loginPolicy('web', routeTarget('web'), provider),
      loginPolicy('a', routeTarget('a'), provider, { cookies: { domain: 'wild.test' } }),
    ],
  });
  /** What the provider sends this browser back with, after its state was changed to name the URL. */
  const backWith = async (browser: ScriptedBrowser, asked: URL, url: string) => {
    const to = new URL((await browser.ask(asked)).location ?? '');
    const state = JSON.parse(Buffer.from(to.searchParams.get('state') ?? '', 'base64url').toString());
    to.searchParams.set('state', Buffer.from(JSON.stringify({ ...state, url })).toString('base64url'));
    const page = await browser.logIn(to, 'mallory', (next) => next.pathname === '/oauth2/callback');
    return new URL(page.location ?? '');
  };
  for (const host of [exactHost, shared]) {
    const asked = world.page(host, '/orders');
    await sends302(new ScriptedBrowser(), asked);
    const victim = new ScriptedBrowser();
    await victim.ask(asked);
    for (const url of [
      'https://evil.test/',
      '//evil.test/',
      `https://${host}.evil.test/`,
      `https://${host}@evil.test/`,
      `https://evil.test\\@${host}/`,
      'javascript:alert(1)',
    ]) {
      const mallory = new ScriptedBrowser();
      const back = await backWith(mallory, asked, url);
      t.is((await victim.ask(back)).status, 401, `${host}, ${url}: in another browser`);
      // By subdomains a stranger can plant cookies of the whole domain.
      if (host === shared) t.is((await mallory.ask(back)).status, 401, `${host}, ${url}`);
    }
    t.is((await victim.logIn(asked, 'ann')).status, 200);
  }
});

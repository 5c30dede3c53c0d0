import test, { type ExecutionContext } from 'ava';
import { exportJWK, generateKeyPair } from 'jose';
import type { Configuration, JWK } from 'oidc-provider';
import { providerOf } from '../../scripts/example/login-provider.ts';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { freePort } from '../../scripts/free-port.ts';
import { startKeyServer } from '../support/key-server.ts';
import { addStrangers, asScript, LoginLoad, strangersPath } from '../support/login-load.ts';
import {
  exactHost,
  gatewayTarget,
  type LoginWorld,
  lateHost,
  loginPolicy,
  loginWorld,
} from '../support/login-world.ts';
import { until } from '../support/until.ts';

// A provider that goes away, forgets or changes its keys while users work, and strangers who try their luck meanwhile.

/** Logins of one policy, whose ID tokens a `jwt` verifies by keys that are fetched. */
async function startWorld(t: ExecutionContext, configuration: Configuration): Promise<LoginWorld> {
  const world = await loginWorld(t, {
    configuration,
    startProvider: async (endings) => startKeyServer(endings, await freePort()),
    policies: ({ provider }) => {
      const login = {
        scopes: ['offline_access'],
        denyRedirect: [{ header: { name: 'x-requested-with' } }],
        forward: { idTokenHeader: 'x-id-token' },
      };
      const jwks = { discovery: {}, caCertificateRefs: [{ name: 'keys-ca' }] };
      const id = { name: 'id', issuer: provider.url, jwks, from: { headers: [{ name: 'x-id-token' }] } };
      return [loginPolicy('login', gatewayTarget, provider, login, { jwt: { providers: [id] } })];
    },
  });
  trust(world, 0);
  // Until the keys are there, a login ends in 503 or 500.
  for (const url of pagesOf(world, '/'))
    await until('logins', async () => (await new ScriptedBrowser().logIn(url, 'first')).status === 200);
  return world;
}

/** Names the authority of the provider's keys, in other bytes each time: all of them are fetched again. */
function trust({ gateway, provider }: LoginWorld, time: number): void {
  const { data, ...more } = provider.trust('keys-ca') as { readonly data: { readonly 'ca.crt': string } };
  gateway.write('trust.yaml', { ...more, data: { 'ca.crt': `${data['ca.crt']}${'\n'.repeat(time)}` } });
}

const pagesOf = ({ page }: LoginWorld, path: string): readonly URL[] => [page(exactHost, path), page(lateHost, path)];

/** The same provider after a start, which knows nothing of before. */
async function startAgain({ provider, page }: LoginWorld, configuration: Configuration): Promise<void> {
  const urls = [exactHost, lateHost].map((host) => page(host).origin);
  provider.answer = (await providerOf(provider.url, urls, configuration)).callback();
}

/** Users at both hosts, who ask without end. */
async function addUsers(t: ExecutionContext, load: LoginLoad, world: LoginWorld, who = 'user') {
  const users: ScriptedBrowser[] = [];
  for (const url of pagesOf(world, `/${who}`)) {
    const browser = new ScriptedBrowser();
    t.is((await browser.logIn(url, who)).status, 200);
    load.add(who, () => browser.ask(url));
    users.push(browser);
  }
  return users;
}

test('while a provider is away its users go on, no one else comes in, and logins work again when it is back', async (t) => {
  t.timeout(600_000);
  const configuration: Configuration = {
    ttl: { AccessToken: (_, { accountId }) => (accountId === 'short' ? 2 : 3600), IdToken: 3600 },
    issueRefreshToken: async () => true,
    // Else a renewal whose answer is lost would end the login: its token would be used up.
    rotateRefreshToken: false,
  };
  const world = await startWorld(t, configuration);
  const { provider, web } = world;
  const load = new LoginLoad();
  const [user] = (await addUsers(t, load, world)) as [ScriptedBrowser, ScriptedBrowser];
  addStrangers(load, world, user);
  // Its tokens are renewed every two seconds.
  const short = new ScriptedBrowser();
  const url = world.page(exactHost, '/short');
  t.is((await short.logIn(url, 'short')).status, 200);
  load.add('short', () => short.ask(url, { headers: asScript }));
  const late = new ScriptedBrowser();
  const isCallback = (next: URL) => next.pathname === '/oauth2/callback';
  const callback = new URL((await late.logIn(url, 'late', isCallback)).location ?? '');
  const accessOf = () => short.cookiesFor(url).find(({ name }) => name.endsWith('-access'))?.value;
  const first = accessOf();
  await load.more('user', '200');
  await until('the short login to be renewed', () => accessOf() !== first);

  for (const forgets of [false, true]) {
    const what = forgets ? 'it forgets its users' : 'it knows its users again';
    await load.more('short', '200');
    load.phase = `away, then ${what}`;
    await provider.stop();
    await load.more('short', '401', 1);
    const renewed = load.count('short', '200');
    const sent = await new ScriptedBrowser().ask(url);
    t.is(new URL(sent.location ?? '').origin, provider.url, 'a new login is sent to the provider');
    await t.throwsAsync(new ScriptedBrowser().logIn(url, 'new'), { message: /ECONNREFUSED/ }, what);
    if (!forgets) t.is((await late.ask(callback)).status, 401, 'a code becomes no login');
    t.is((await short.ask(url)).status, 302, 'a login that cannot be renewed');
    for (const [who, answer] of [
      ['user', '200'],
      ['stranger', '302'],
      ['script', '401'],
      ['forger', '302'],
      ['short', '401'],
    ] as const)
      await load.more(who, answer, 30);
    t.is(load.count('short', '200'), renewed, 'once ended, it stays so');

    if (forgets) await startAgain(world, configuration);
    load.phase = `back, ${what}`;
    await provider.start();
    for (const page of pagesOf(world, '/new')) t.is((await new ScriptedBrowser().logIn(page, 'new')).status, 200, what);
    await load.more('user', '200');
    await load.more('short', forgets ? '401' : '200');
  }
  const seen = await load.stop();
  t.log(...load.lines());
  t.deepEqual(seen, { user: ['200'], stranger: ['302'], script: ['401'], forger: ['302'], short: ['200', '401'] });
  t.false(web.requests.includes(strangersPath));
  t.regex(world.conditions('login'), /Accepted=True.*ResolvedRefs=True/);
});

test('a provider changes its keys while users work, and none of them is sent away', async (t) => {
  t.timeout(600_000);
  const [old, next, sudden] = await Promise.all(['old', 'next', 'sudden'].map(signingKey));
  const by = (...keys: readonly (JWK | undefined)[]): Configuration => ({
    jwks: { keys: keys.filter((key) => key !== undefined) },
  });
  const world = await startWorld(t, by(old));
  const { provider, web } = world;
  const load = new LoginLoad();
  const [user] = (await addUsers(t, load, world)) as [ScriptedBrowser, ScriptedBrowser];
  addStrangers(load, world, user);
  let time = 0;
  const fetchKeys = async () => {
    const fetches = () => provider.requests.filter((path) => path === '/jwks').length;
    const before = fetches();
    trust(world, ++time);
    await until('the keys to be fetched', () => fetches() > before);
  };
  const url = world.page(exactHost, '/next');
  const statusOfNew = async () => (await new ScriptedBrowser().logIn(url, 'next')).status;

  await load.more('user', '200');

  load.phase = 'the next key is published';
  await startAgain(world, by(old, next));
  await fetchKeys();
  t.is(await statusOfNew(), 200);

  load.phase = 'the next key signs';
  await startAgain(world, by(next, old));
  await until('logins by the next key', async () => (await statusOfNew()) === 200);
  await addUsers(t, load, world, 'next');
  await load.more('next', '200');

  load.phase = 'a key signs that was not published before';
  await startAgain(world, by(sudden, next, old));
  t.is(await statusOfNew(), 401);
  await fetchKeys();
  await until('logins by that key', async () => (await statusOfNew()) === 200);
  await load.more('user', '200');
  await load.more('next', '200');
  const users = await load.stop();
  t.log(...load.lines());
  t.deepEqual(users, { user: ['200'], next: ['200'], stranger: ['302'], script: ['401'], forger: ['302'] });
  t.false(web.requests.includes(strangersPath));

  await startAgain(world, by(sudden, next));
  await fetchKeys();
  await until('the withdrawn key to end', async () => (await user.ask(world.page(exactHost, '/user'))).status === 401);
  t.is(await statusOfNew(), 200);
});

async function signingKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } as JWK;
}

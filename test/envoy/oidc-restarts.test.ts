import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Configuration } from 'oidc-provider';
import { providerOf } from '../../scripts/example/login-provider.ts';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { keyServerAddresses } from '../support/key-server.ts';
import {
  clientSecret,
  exactHost,
  gatewayTarget,
  lateHost,
  loginParts,
  loginPolicy,
  loginWorld,
  sends302,
} from '../support/login-world.ts';
import { untilCurrent } from '../support/standalone.ts';
import { TwoProcesses } from '../support/two-processes.ts';
import { until } from '../support/until.ts';

/** Logins while processes end and secrets change, with a real provider and a real Envoy. */

interface Counts {
  readonly currentVersionReadyCount: number;
}

/** Waits for the first answer of a port whose process may be starting: what is no answer is no login that was lost. */
const firstAnswer = (browser: ScriptedBrowser, url: URL) => until(`an answer of ${url}`, () => browser.ask(url));

test('a login goes on when the proxy, its agent and the control plane are killed and start again', async (t) => {
  t.timeout(600_000);
  const world = await loginParts(t, { policies: ({ provider }) => [loginPolicy('login', gatewayTarget, provider)] });
  const allowed = { allowedAddresses: [...keyServerAddresses] };
  const both = await TwoProcesses.start(t, {
    files: world.files,
    controlPlane: { backends: allowed },
    dataPlane: { backends: allowed, dataplane: { nameServers: [`${world.nameServer.host}:${world.nameServer.port}`] } },
  });
  const agent = await both.startDataPlane(t, 'one');
  const url = world.page(lateHost, '/orders');
  const browser = new ScriptedBrowser();
  await sends302(browser, url);
  t.is((await browser.logIn(url, 'ann')).status, 200);
  const isServed = async (what: string) => {
    const { status, setCookies } = await firstAnswer(browser, url);
    t.is(status, 200, what);
    t.deepEqual(setCookies, [], what);
    t.is((await firstAnswer(new ScriptedBrowser(), url)).status, 302, `${what}: another browser`);
  };

  process.kill(await both.envoyPid(), 'SIGKILL');
  await isServed('Envoy started again');

  await both.killControlPlane();
  await isServed('without a control plane');
  await until('the agent to keep its configuration, which it does a moment later', () => existsSync(both.cacheFile));
  agent.kill('SIGKILL');
  await agent.ended;
  await both.startDataPlane(t, 'one');
  await isServed('the agent started again, without a control plane');
  t.is((await new ScriptedBrowser().logIn(url, 'bob')).status, 200, 'a new login');

  await both.startControlPlane();
  await until(
    'the proxy to be current',
    async () => (await both.json<Counts>('/v1/summary')).currentVersionReadyCount === 1,
  );
  await isServed('the control plane started again');
  t.is((await new ScriptedBrowser().logIn(url, 'eve')).status, 200, 'a new login');

  await both.killControlPlane();
  rmSync(join(both.stateDirectory, 'login-key'));
  await both.startControlPlane();
  await until('the login to end with the key', async () => (await browser.ask(url)).status === 302);
  // A control plane that starts without a key closes the policy until it has made one. Proxies keep what they had beside the closed part, then
  // have the closed part alone, then the login beside it: they answer 302, 503 for about two seconds, and 302 again.
  await until(
    'the policy to be open again',
    async () => (await new ScriptedBrowser().logIn(url, 'eve')).status === 200,
  );
  // By all of the proxy's threads.
  await sends302(new ScriptedBrowser(), url);
  t.is((await browser.logIn(url, 'ann')).status, 200, 'once more');
});

test('a client secret that changes ends no login, and lets no one in who has to log in', async (t) => {
  const configuration: Configuration = {
    ttl: { AccessToken: (_, { accountId }) => (accountId === 'short' ? 1 : 3600), IdToken: 3600 },
    issueRefreshToken: async () => true,
  };
  const world = await loginWorld(t, {
    configuration,
    policies: ({ provider }) => [loginPolicy('login', gatewayTarget, provider, { scopes: ['offline_access'] })],
  });
  const { provider, gateway, web } = world;
  const url = world.page(exactHost, '/orders');
  const [long, short] = [new ScriptedBrowser(), new ScriptedBrowser()];
  await sends302(long, url);
  for (const [browser, name] of [
    [long, 'long'],
    [short, 'short'],
  ] as const)
    t.is((await browser.logIn(url, name)).status, 200, name);

  provider.answer = (await providerOf(provider.url, [url.origin], configuration, 'an0ther-s3cret')).callback();
  await until('a login that cannot be renewed to end', async () => (await short.ask(url)).status === 302);
  const before = web.requests.length;
  t.is((await short.logIn(url, 'short')).status, 401, 'by the old secret no code becomes a token');
  t.is((await new ScriptedBrowser().logIn(url, 'new')).status, 401);
  t.is(web.requests.length, before);
  t.is((await long.ask(url)).status, 200, 'whose token is good goes on');

  gateway.write('secret.yaml', clientSecret('an0ther-s3cret'));
  await until('logins by the new secret', async () => {
    t.is((await long.ask(url)).status, 200, 'while it changes');
    return (await new ScriptedBrowser().logIn(url, 'new')).status === 200;
  });
  // All of the proxy's threads have it.
  await untilCurrent(gateway);
  t.deepEqual((await long.ask(url)).setCookies, [], 'the same login all along');
  t.is((await short.logIn(url, 'short')).status, 200, 'once more');
  await until('a token to be renewed by the new secret', async () => {
    const page = await short.ask(url);
    t.is(page.status, 200);
    return page.setCookies.length > 0;
  });
});

import test from 'ava';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { serviceObjects } from '../support/http.ts';
import { startKeyServer } from '../support/key-server.ts';
import { exactHost, gatewayTarget, loginPolicy, loginWorld, sends302, twoRoutes } from '../support/login-world.ts';
import { backendTlsPolicy } from '../support/objects.ts';

/** Where proxies ask for tokens, with a real provider and a real Envoy. */

test('a login by endpoints that the policy names asks for no document', async (t) => {
  const world = await loginWorld(t, {
    policies: ({ provider: { url }, port }) => [
      loginPolicy(
        'login',
        gatewayTarget,
        { url },
        {
          issuer: undefined,
          endpoints: { authorization: `${url}/auth`, token: `${url}/token`, endSession: `${url}/session/end` },
          logout: { path: '/logout', redirectURL: `https://${exactHost}:${port}/bye` },
        },
      ),
    ],
  });
  const browser = new ScriptedBrowser();
  const url = world.page(exactHost, '/orders?a=b');
  await sends302(browser, url);
  t.is((await browser.logIn(url, 'ann')).body, 'page /orders?a=b');
  t.true(world.provider.requests.includes('/token'));
  t.deepEqual(
    world.provider.requests.filter((path) => path.includes('.well-known')),
    [],
  );
  const out = new URL((await browser.ask(world.page(exactHost, '/logout'))).location ?? '');
  t.is(`${out.origin}${out.pathname}`, `${world.provider.url}/session/end`);
  t.is((await browser.ask(url)).status, 302);
});

test('tokens are asked for at the Service that a policy names, and not at the provider’s host', async (t) => {
  const tokens = await startKeyServer(t);
  const tls = backendTlsPolicy('tokens', {
    targetRefs: [{ group: '', kind: 'Service', name: 'tokens' }],
    validation: { hostname: 'localhost', caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'tokens-ca' }] },
  });
  const world = await loginWorld(t, {
    routes: [...twoRoutes(), ...serviceObjects('tokens', [tokens.port]), tls, tokens.trust('tokens-ca')],
    policies: ({ provider }) => [
      loginPolicy('login', gatewayTarget, provider, { backendRef: { name: 'tokens', port: 80 } }),
    ],
  });
  tokens.answer = (request, response) => world.provider.answer(request, response);
  const browser = new ScriptedBrowser();
  const url = world.page(exactHost, '/orders?a=b');
  await sends302(browser, url);
  t.is((await browser.logIn(url, 'ann')).body, 'page /orders?a=b', world.conditions('login'));
  t.deepEqual(tokens.requests, ['/token']);
  t.false(world.provider.requests.includes('/token'));
});

test('no code goes to a token endpoint at an address that its certificate is not for', async (t) => {
  const world = await loginWorld(t, {
    policies: ({ provider: { url, port } }) => [
      loginPolicy(
        'login',
        gatewayTarget,
        { url },
        {
          issuer: undefined,
          endpoints: { authorization: `${url}/auth`, token: `https://127.0.0.1:${port}/token` },
        },
      ),
    ],
  });
  const browser = new ScriptedBrowser();
  const url = world.page(exactHost, '/orders');
  await sends302(browser, url);
  t.is((await browser.logIn(url, 'ann')).status, 401);
  t.false(world.provider.requests.includes('/token'));
  t.is(world.web.seen.length, 0);
});

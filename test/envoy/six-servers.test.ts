import test from 'ava';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { startSixServer } from '../support/key-server.ts';
import { exactHost, gatewayTarget, loginPolicy, loginWorld, sends302 } from '../support/login-world.ts';
import { thorough } from '../support/repetitions.ts';
import { untilFits } from '../support/until.ts';

/** Providers whose URLs name an IPv6 address, with real servers at ::1 and a real Envoy. */

thorough(test)('browsers log in at an issuer that is an IPv6 address, and its tokens are verified', async (t) => {
  const world = await loginWorld(t, {
    startProvider: startSixServer,
    policies: ({ provider }) => [
      loginPolicy(
        'login',
        gatewayTarget,
        provider,
        { forward: { idTokenHeader: 'x-id-token' } },
        {
          jwt: {
            providers: [
              {
                name: 'id',
                issuer: provider.url,
                jwks: { discovery: {}, caCertificateRefs: [{ name: 'id-ca' }] },
                from: { headers: [{ name: 'x-id-token' }] },
                claimsToHeaders: [{ claim: 'sub', header: 'x-user' }],
              },
            ],
          },
        },
      ),
    ],
  });
  t.regex(world.provider.url, /^https:\/\/\[::1\]:\d+$/);
  const browser = new ScriptedBrowser();
  const url = world.page(exactHost, '/orders');
  await sends302(browser, url);
  t.is((await browser.logIn(url, 'ann')).body, 'page /orders', world.conditions('login'));
  t.is(world.web.seen.at(-1)?.['x-user'], 'ann');
  t.true(world.provider.requests.includes('/token'));
});

test('a token endpoint at an IPv6 address that no operator opened closes its targets, and the status says what to do', async (t) => {
  const world = await loginWorld(t, {
    policies: ({ provider: { url } }) => [
      loginPolicy(
        'login',
        gatewayTarget,
        { url },
        { issuer: undefined, endpoints: { authorization: `${url}/auth`, token: 'https://[2606:4700::1]:8443/token' } },
      ),
    ],
  });
  await untilFits(
    'the status to say so',
    () => world.conditions('login'),
    (text) => /ResolvedRefs=False HostnameNotAllowed .*2606:4700::1, .*backends\.allowedAddresses/.test(text),
  );
  t.is((await new ScriptedBrowser().ask(world.page(exactHost))).status, 500);
});

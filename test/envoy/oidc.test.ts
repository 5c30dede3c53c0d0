import { createHash } from 'node:crypto';
import test from 'ava';
import { providerOf } from '../../scripts/example/login-provider.ts';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import {
  exactHost,
  gatewayTarget,
  lateHost,
  loginPolicy,
  loginWorld,
  routeTarget,
  sends302,
} from '../support/login-world.ts';
import { pkce } from '../support/rfc-vectors.ts';

for (const [place, targets] of [
  ['a Gateway', [gatewayTarget]],
  ['routes', [routeTarget('web'), routeTarget('wild')]],
] as const) {
  test(`a policy of ${place} has browsers log in, and come back to what they asked for`, async (t) => {
    const world = await loginWorld(t, {
      policies: ({ provider }) => targets.map((target, at) => loginPolicy(`login-${at}`, target, provider)),
    });
    for (const host of [exactHost, lateHost]) {
      const browser = new ScriptedBrowser();
      const asked = world.page(host, '/orders?a=b%20c&d=1');
      await sends302(browser, asked);
      const page = await browser.logIn(asked, 'ann');
      t.is(page.status, 200, page.body);
      t.is(page.body, 'page /orders?a=b%20c&d=1');
      t.is(page.url.href, asked.href);
      t.is(world.web.seen.at(-1)?.cookie, undefined);
      t.is((await new ScriptedBrowser().ask(asked)).status, 302, 'another browser');
    }
  });
}

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

test('each login has a verifier of its own, whose challenge the provider gets (RFC 7636)', async (t) => {
  t.is(challengeOf(pkce.verifier), pkce.challenge, 'as in Appendix B');
  const world = await loginWorld(t, {
    policies: ({ provider }) => [loginPolicy('login', gatewayTarget, provider)],
  });
  const { provider } = world;
  const url = world.page(exactHost, '/orders');
  const taken: { readonly verifier: string; readonly challenge: string }[] = [];
  // It accepts S256 alone, and rejects codes whose verifier does not fit.
  const own = await providerOf(provider.url, [url.origin]);
  own.on('grant.success', ({ oidc: { params, entities } }) => {
    t.is(entities.AuthorizationCode?.codeChallengeMethod, 'S256');
    taken.push({
      verifier: String(params?.code_verifier),
      challenge: String(entities.AuthorizationCode?.codeChallenge),
    });
  });
  provider.answer = own.callback();
  await sends302(new ScriptedBrowser(), url);
  for (const name of ['ann', 'bob']) t.is((await new ScriptedBrowser().logIn(url, name)).status, 200);
  t.is(taken.length, 2);
  for (const { verifier, challenge } of taken) {
    t.regex(verifier, /^[\w.~-]{43,128}$/);
    t.is(challenge, challengeOf(verifier));
  }
  t.not(taken[0]?.verifier, taken[1]?.verifier);
});

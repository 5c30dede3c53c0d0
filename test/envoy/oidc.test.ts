import test from 'ava';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { exactHost, gatewayTarget, lateHost, loginPolicy, loginWorld, routeTarget } from '../support/login-world.ts';
import { until } from '../support/until.ts';

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
      await until(
        `${host} to send browsers to the provider: ${world.conditions('login-0')}`,
        async () => (await browser.ask(asked)).status === 302,
      );
      const page = await browser.logIn(asked, 'ann');
      t.is(page.status, 200, page.body);
      t.is(page.body, 'page /orders?a=b%20c&d=1');
      t.is(page.url.href, asked.href);
      t.is(world.web.seen.at(-1)?.cookie, undefined);
      t.is((await new ScriptedBrowser().ask(asked)).status, 302, 'another browser');
    }
  });
}

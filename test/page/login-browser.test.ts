import test from 'ava';
import { ScriptedBrowser } from '../../scripts/example/scripted-browser.ts';
import { sharedChromium } from '../support/chromium.ts';
import { gatewayTarget, loginPolicy, loginWorld, webRoute } from '../support/login-world.ts';
import { until } from '../support/until.ts';

/** A login as a real browser does it: which cookies it keeps, sends and deletes is its own decision. */
test('a browser logs in, stays logged in, is logged out, and is asked again', async (t) => {
  const host = 'web.localhost';
  const world = await loginWorld(t, {
    hosts: [host],
    routes: [webRoute('web', host)],
    policies: ({ provider, port }) => [
      loginPolicy('login', gatewayTarget, provider, {
        logout: { path: '/logout', redirectURL: `https://${host}:${port}/bye` },
      }),
    ],
  });
  const url = world.page(host, '/orders?a=b%20c').href;
  await until(
    'browsers to be sent to the provider',
    async () => (await new ScriptedBrowser().ask(new URL(url))).status === 302,
  );
  const browser = await sharedChromium();
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(100_000);
  const logIn = async () => {
    await page.goto(url);
    await page.fill('input[name=login]', 'ann');
    await page.fill('input[name=password]', 'any');
    await page.click('button[type=submit]');
    // What the client may know of the user.
    if ((await page.content()).includes('value="consent"')) await page.click('button[type=submit]');
    await page.waitForURL(url);
  };
  await logIn();
  t.is(await page.textContent('body'), 'page /orders?a=b%20c');
  const ours = async () => (await context.cookies(url)).filter(({ name }) => name.startsWith('__Host-gw-'));
  const names = (await ours()).map(({ name }) => name.replace(/^.*-/, '').replace(/\..*$/, '')).sort();
  t.deepEqual(names, ['access', 'expires', 'hmac', 'id'], 'those of the way there are gone');
  for (const { secure, httpOnly, sameSite, path } of await ours())
    t.deepEqual({ secure, httpOnly, sameSite, path }, { secure: true, httpOnly: true, sameSite: 'Lax', path: '/' });
  await page.goto(world.page(host, '/other').href);
  t.is(await page.textContent('body'), 'page /other');
  await page.goto(world.page(host, '/logout').href);
  // The provider asks whether it is meant.
  await page.click('button[value=yes], button[type=submit]');
  // It comes back to a page of the same Gateway, which begins another login.
  await page.waitForSelector('input[name=login]');
  const parts = (await ours()).map(({ name }) => name.replace(/^.*gw-[0-9a-f]+-/, '').replace(/\..*$/, ''));
  t.deepEqual([...new Set(parts)].sort(), ['nonce', 'verifier']);
  await page.goto(url);
  t.regex(page.url(), /^https:\/\/localhost:\d+\//);
});

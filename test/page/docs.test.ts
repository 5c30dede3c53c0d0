import anyTest, { type TestFn } from 'ava';
import { openBrowser } from '../support/browser.ts';
import { type Standalone, startStandalone } from '../support/standalone.ts';

const test = anyTest as TestFn<{ gateway: Standalone; origin: string }>;

test.before(async (t) => {
  const gateway = await startStandalone();
  t.context = { gateway, origin: `http://127.0.0.1:${gateway.control.ports.layout1}` };
});
test.after.always((t) => t.context.gateway?.stop());

test('the documentation is shown inside, at the paragraph that a link names, and found by its headings', async (t) => {
  const { origin } = t.context;
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin);
  const sought = page.locator('.guide .sought');

  await page.goto(`${origin}/#/docs/problems.md?at=NoMatchingParent`);
  await sought.waitFor();
  t.is((await sought.textContent())?.trim(), 'NoMatchingParent', 'the reason of a condition');
  t.true(
    await page.evaluate('document.querySelector(".sought").getBoundingClientRect().top < innerHeight'),
    'is in view',
  );

  await page.locator('.guide a[href="#/docs/errors.md"]').first().click();
  await page.locator('.guide h1', { hasText: 'rrors' }).waitFor();

  await page.keyboard.press('/');
  await page.locator('.palette input:focus').waitFor();
  await page.keyboard.type('sticky sess');
  await page.locator('.palette li', { hasText: 'documentation ·' }).first().click();
  await page.locator('.guide h1', { hasText: 'ticky' }).waitFor();

  await page.goto(`${origin}/#/docs/none.md`);
  await page.locator('.empty').waitFor();
  t.deepEqual(await accessibilityFaults(), []);
  t.deepEqual(faults, []);
});

test('every page of the documentation is readable by all, and every link in it leads somewhere', async (t) => {
  const { origin } = t.context;
  const { page, faults, accessibilityFaults } = await openBrowser(t, origin, { theme: 'dark', width: 320 });
  await page.goto(`${origin}/#/docs`);
  await page.locator('.contents li').first().waitFor();
  const linksIn = (place: string): Promise<readonly string[]> =>
    page.evaluate(`[...document.querySelectorAll('${place} a')].map((link) => link.getAttribute('href'))`);
  const links = (await linksIn('.contents')).filter((link) => link.startsWith('#'));
  t.true(links.length > 20);
  for (const link of links) {
    await page.goto(`${origin}/${link}`);
    await page.locator('.guide h1').waitFor();
    const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    t.is(wide, 0, `${link} scrolls sideways`);
    const elsewhere = (await linksIn('.guide')).filter((href) => !/^(#\/docs\/|https?:)/.test(href));
    t.deepEqual(elsewhere, [], link);
  }
  t.deepEqual(await accessibilityFaults(), []);
  t.deepEqual(faults, []);
});

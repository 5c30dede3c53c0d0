import { setTimeout as delay } from 'node:timers/promises';
import { AxeBuilder } from '@axe-core/playwright';
import type { ExecutionContext } from 'ava';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { sharedChromium } from './chromium.ts';
import { openRequests } from './open-requests.ts';

/** How a browser is set up. */
export interface BrowserOptions {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
  readonly locale?: 'en-GB' | 'de-DE';
}

/** A page in a real Chromium. */
export interface Browsed {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong in the page so far: errors, messages of the policy, requests to other origins. */
  readonly faults: readonly string[];
  /** Serious and critical findings of axe on what is shown now. */
  accessibilityFaults(): Promise<readonly string[]>;
}

/**
 * Opens a window of a browser that may reach only `origin`; it closes with the test. `faults` has every error of the page, every breach of its content
 * security policy, and every request to another origin, so that a test ends with `t.deepEqual(faults, [])`.
 */
export async function openBrowser(
  t: ExecutionContext<unknown>,
  origin: string,
  { width = 1280, theme = 'light', locale = 'en-GB' }: BrowserOptions = {},
): Promise<Browsed> {
  const browser = await sharedChromium();
  const faults: string[] = [];
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme, locale });
  t.teardown(async () => {
    if (!t.passed) t.log(await Promise.race([stateOf(page, open).catch(String), delay(10_000, 'it hangs')]), faults);
    await context.close();
  });
  const page = await context.newPage();
  const open = openRequests(page);
  // Only what hangs takes so long.
  page.setDefaultTimeout(100_000);
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // The browser itself reports answers such as 404, which pages handle.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(`console: ${message.text()}`);
  });
  await context.route(/.*/, async (route) => {
    const url = route.request().url();
    if (url.startsWith(`${origin}/`) || url.startsWith('data:')) return await route.continue();
    faults.push(`request to ${url}`);
    return await route.abort();
  });
  return {
    page,
    context,
    faults,
    async accessibilityFaults() {
      const { violations } = await new AxeBuilder({ page }).analyze();
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
    },
  };
}

/** What a failed test needs to be understood: where the page was, what it waited for, and what it showed. */
async function stateOf(page: Page, open: ReadonlySet<Request>): Promise<object> {
  return {
    url: page.url(),
    unanswered: [...open].map((request) => request.url()),
    isHidden: await page.evaluate('document.hidden'),
    text: await page.evaluate('document.body.innerText'),
  };
}

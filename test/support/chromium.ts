import { registerCompletionHandler } from 'ava';
import { type Browser, chromium } from 'playwright-core';
import { ensureChromium } from '../../scripts/setup/chromium.mjs';

/** Features of Chromium. The list replaces the one that Playwright gives, and so has what is in that. */
const disabled = [
  // What a window keeps ready for its address bar, which no test looks at: half a second of CPU time for each.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Playwright's, of 1.65.
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

let running: Promise<Browser> | undefined;

/**
 * A real Chromium, one for all tests of this process: each start takes 1.3 s of CPU time. A test opens a context of its own, which has neither
 * cookies nor a cache in common with others, and closes it.
 */
export async function sharedChromium(): Promise<Browser> {
  running ??= start();
  const browser = await running;
  if (browser.isConnected()) return browser;
  // It crashed in another test.
  running = undefined;
  return await sharedChromium();
}

async function start(): Promise<Browser> {
  return await chromium.launch({
    executablePath: await ensureChromium(),
    // Tests may run as root, and in containers; the page is our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', `--disable-features=${disabled.join(',')}`],
  });
}

registerCompletionHandler(async () => await (await running)?.close());

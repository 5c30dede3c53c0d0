import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ensureChromium } from '../setup/chromium.mjs';
import type { World } from './world.ts';

export type Theme = 'light' | 'dark';

/** One picture of docs/pictures. */
export interface Shot {
  /** Of the file; that in the dark has `-dark` behind it. */
  readonly name: string;
  /** What is opened. */
  readonly link: string | ((world: World) => string);
  /** Is there when the page has all that is to be seen. */
  readonly shown: string;
  /** What is done on the page before. */
  readonly act?: (page: Page) => Promise<void>;
  /** Light alone by default. */
  readonly themes?: readonly Theme[];
  /** Of the picture, in pixels. */
  readonly width?: number;
  readonly height?: number;
}

const usualWidth = 1200;
const usualHeight = 720;
/** What is left below is not worth its bytes. */
const quality = 60;

/** Takes pictures of the page in a real Chromium, as WebP. */
export class Camera {
  readonly #browser: Browser;
  readonly #origin: string;
  readonly #folder: string;

  private constructor(browser: Browser, origin: string, folder: string) {
    this.#browser = browser;
    this.#origin = origin;
    this.#folder = folder;
  }

  static async start(origin: string, folder: string): Promise<Camera> {
    const browser = await chromium.launch({
      executablePath: await ensureChromium(),
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    return new Camera(browser, origin, folder);
  }

  stop(): Promise<void> {
    return this.#browser.close();
  }

  /** Says what was written. */
  async take(shot: Shot, world: World): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const theme of shot.themes ?? ['light']) {
      const file = `${shot.name}${theme === 'dark' ? '-dark' : ''}.webp`;
      const picture = await this.#picture(shot, theme, world);
      writeFileSync(join(this.#folder, file), picture);
      lines.push(`${file} ${picture.length} bytes`);
    }
    return lines;
  }

  async #picture(
    { link, shown, act, width = usualWidth, height = usualHeight }: Shot,
    theme: Theme,
    world: World,
  ): Promise<Buffer> {
    const viewport = { width, height };
    const context = await this.#browser.newContext({
      viewport,
      colorScheme: theme,
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${this.#origin}/${typeof link === 'string' ? link : link(world)}`);
    await page.locator('.connection.ok').waitFor();
    await act?.(page);
    await page.locator(shown).first().waitFor();
    const session = await context.newCDPSession(page);
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality });
    await context.close();
    return Buffer.from(data, 'base64');
  }
}

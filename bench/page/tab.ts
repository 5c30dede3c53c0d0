import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { ensureChromium } from '../../scripts/setup/chromium.mjs';

/** What a view cost, all times in milliseconds. */
export interface ViewFigures {
  /** From the beginning of the navigation until what was asked for is there and painted. */
  readonly shownMs: number;
  /** Of the browser's main thread, of the processor. */
  readonly cpuMs: number;
  /** Bytes on the wire, packed, with those of the page itself. */
  readonly bytes: number;
  /** The slowest answer of the API, from question to last byte. */
  readonly slowestAnswerMs: number;
  /** Elements in the document. */
  readonly nodes: number;
  readonly longestTaskMs: number;
}

/** A real Chromium with one tab, in which views are opened one after the other. */
export class Tab implements AsyncDisposable {
  readonly page: Page;
  readonly #browser: Browser;
  readonly #cdp: CDPSession;
  #bytes = 0;
  #requests = 0;

  private constructor(browser: Browser, page: Page, cdp: CDPSession) {
    this.#browser = browser;
    this.page = page;
    this.#cdp = cdp;
    cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
      this.#bytes += encodedDataLength;
    });
    cdp.on('Network.requestWillBeSent', () => {
      this.#requests += 1;
    });
  }

  static async open(): Promise<Tab> {
    const browser = await chromium.launch({
      executablePath: await ensureChromium(),
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
    page.setDefaultTimeout(300_000);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Network.enable');
    // A busy machine makes no task longer.
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.addInitScript(watchTasks);
    return new Tab(browser, page, cdp);
  }

  /** Requests so far. */
  get requests(): number {
    return this.#requests;
  }

  /** Opens an address in a new document, and waits until a selector is there and painted. */
  async view(url: string, selector: string): Promise<ViewFigures> {
    await this.page.goto('about:blank');
    this.#bytes = 0;
    const before = await this.#taskSeconds();
    await this.page.goto(url, { waitUntil: 'commit' });
    const shownMs = await this.page.evaluate<number>(untilShown(selector));
    const cpuMs = ((await this.#taskSeconds()) - before) * 1000;
    const seen = await this.page.evaluate<Pick<ViewFigures, 'nodes' | 'longestTaskMs' | 'slowestAnswerMs'>>(read);
    return { shownMs, cpuMs, bytes: this.#bytes, ...seen };
  }

  /** Types into a field, one key at a time; milliseconds of each until what it changed is painted. */
  async typing(selector: string, text: string): Promise<readonly number[]> {
    await this.page.locator(selector).focus();
    const times: number[] = [];
    for (const key of text) {
      await this.page.evaluate(watchKey);
      await this.page.keyboard.press(key);
      times.push(await this.page.evaluate<number>('window.keyPainted'));
    }
    return times;
  }

  /** Bytes of the tab's JavaScript heap after what is not used any more was collected. */
  async heapBytes(): Promise<number> {
    await this.#cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }

  async #taskSeconds(): Promise<number> {
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  }
}

// What follows runs in the page, and is text here, because the compiler knows no documents for benches.

const watchTasks = `
  window.longestTask = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longestTask = Math.max(window.longestTask, duration);
  }).observe({ type: 'longtask', buffered: true });
`;

/** Calls back when what is in the document now has been painted. */
const afterPaint = `const afterPaint = (done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now());
  channel.port2.postMessage(0);
});`;

/** Milliseconds from the beginning of the navigation. */
const untilShown = (selector: string): string => `new Promise((resolve) => {
  ${afterPaint}
  const look = () => document.querySelector(${JSON.stringify(selector)}) ? afterPaint(resolve) : requestAnimationFrame(look);
  look();
})`;

const read = `({
  nodes: document.querySelectorAll('*').length,
  longestTaskMs: window.longestTask,
  slowestAnswerMs: Math.max(0, ...performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('/v1/') && !name.includes('/v1/events'))
    .map(({ requestStart, responseEnd }) => responseEnd - requestStart)),
})`;

/** Milliseconds from a key until what it changed is painted. */
const watchKey = `(() => {
  ${afterPaint}
  window.keyPainted = new Promise((resolve) => {
    window.addEventListener('keydown', ({ timeStamp }) => {
      afterPaint((now) => resolve(now - timeStamp));
    }, { once: true, capture: true });
  });
})()`;

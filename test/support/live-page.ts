import type { ExecutionContext } from 'ava';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { openRequests } from './open-requests.ts';
import { until } from './until.ts';

/** Longer than a page waits after an event, and shorter than between two questions of its own. */
const afterEventMs = 1_300;
const betweenQuestionsMs = 5_000;

/** Times at which the stream of events brought something. */
async function followStream(context: BrowserContext, page: Page): Promise<{ readonly chunks: number }> {
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const streams = new Set<string>();
  const seen = { chunks: 0 };
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.includes('/v1/events')) streams.add(requestId);
  });
  session.on('Network.dataReceived', ({ requestId }) => {
    if (streams.has(requestId)) seen.chunks += 1;
  });
  return seen;
}

/** The page's questions: how often each was asked, and whether one has no answer yet. */
export function countQuestions(page: Page): { times(part: string): number; readonly isAnswered: boolean } {
  const asked: string[] = [];
  const open = openRequests(page);
  const isQuestion = (request: Request) => request.url().includes('/v1/') && !request.url().includes('/v1/events');
  page.on('request', (request) => {
    if (isQuestion(request)) asked.push(request.url());
  });
  return {
    times: (part) => asked.filter((url) => url.includes(part)).length,
    get isAnswered() {
      return !open.values().some(isQuestion);
    },
  };
}

export interface Happening {
  readonly origin: string;
  readonly link: string;
  /** Parts of the URLs that the page asks, all of which it has to ask again. */
  readonly asked: readonly string[];
  /** What is on the page in the end. */
  readonly shown: string;
  readonly happen: () => Promise<unknown>;
}

/** Opens a page, makes something happen, and holds that an event of the stream makes the page ask: time alone would do so later. */
export async function showsAfterEvent(
  t: ExecutionContext<unknown>,
  { origin, link, asked, shown, happen }: Happening,
): Promise<void> {
  const { page, context, faults } = await openBrowser(t, origin);
  const stream = await followStream(context, page);
  const questions = countQuestions(page);
  await page.clock.install();
  await page.goto(`${origin}/${link}`);
  await page.locator('.connection.ok').waitFor();
  await until('the first questions', () => asked.every((part) => questions.times(part) > 0));
  // From here on time passes for the page only where the test says so.
  await page.clock.pauseAt(Date.now() + 2_000);
  const first = asked.map((part) => questions.times(part));
  await until('questions that time alone causes', async () => {
    await page.clock.runFor(1_000);
    return asked.every((part, at) => questions.times(part) > (first[at] ?? 0));
  });
  await until('their answers', () => questions.isAnswered);
  const before = asked.map((part) => questions.times(part));
  let [chunks, passedMs] = [stream.chunks, 0];
  await happen();
  await until('questions after an event', async () => {
    if (stream.chunks > chunks) {
      chunks = stream.chunks;
      await page.clock.runFor(afterEventMs);
      passedMs += afterEventMs;
    }
    return asked.every((part, at) => questions.times(part) > (before[at] ?? 0));
  });
  t.true(passedMs < betweenQuestionsMs, `asked after ${passedMs} ms`);
  await page.clock.resume();
  await page.locator(shown).first().waitFor();
  t.deepEqual(faults, []);
}

import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { CountedFleet, type Which } from '../support/counted-fleet.ts';
import type * as schemas from '../support/layout1-schemas.ts';
import { ofAllReplicas } from '../support/of-all-replicas.ts';
import { untilFits } from '../support/until.ts';

// What passed through several proxies of several replicas is the same sum wherever it is read, and that of the clients.

type Traffic = ReturnType<typeof schemas.traffic.parse>;

const both = [0, 1] as const;

const countsOf = ({ items }: Traffic): ReadonlyMap<string, number> =>
  new Map(items.map(({ name, reason, requests }) => [name ?? reason ?? '', requests]));
const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((all, each) => all + each, 0);
const sorted = (counts: ReadonlyMap<string, number>) => Object.fromEntries([...counts].sort());

const read = (fleet: CountedFleet, which: Which, by: string): Promise<Traffic> =>
  ofAllReplicas(fleet.replica(which), `/v1/traffic?by=${by}&limit=500`);

/** Waits until a replica has so many requests, and gives what it then says by route. */
const counted = (fleet: CountedFleet, which: Which, total: number, what: string): Promise<Traffic> =>
  untilFits(
    `${total} requests, ${what}`,
    () => read(fleet, which, 'route'),
    ({ totals }) => totals.requests >= total,
  );

/** Holds every sum of both replicas against what was sent. */
async function holds(t: ExecutionContext, fleet: CountedFleet, what: string): Promise<void> {
  for (const which of both) {
    const byRoute = await counted(fleet, which, fleet.total, what);
    t.is(byRoute.totals.requests, fleet.total, what);
    t.deepEqual(sorted(countsOf(byRoute)), sorted(fleet.sent), what);
    t.deepEqual(sorted(countsOf(await read(fleet, which, 'backend'))), sorted(fleet.answered), what);
    for (const by of ['listener', 'gateway', 'node'])
      t.is(sumOf(countsOf(await read(fleet, which, by))), fleet.total, `${what}, by ${by}`);
  }
}

const numberIn = (text: string | null): number => Number((/[\d,]+/.exec(text ?? '')?.[0] ?? '').replaceAll(',', ''));

/** What the page of traffic says: in words of its chart, in the table of the same numbers, and in its rows together. */
async function sumsOnPage(page: Page, origin: string, by: string) {
  // A document of its own: what was unfolded on the last one would still be.
  await page.goto('about:blank');
  await page.goto(`${origin}/#/traffic?by=${by}`);
  await page.locator('.grid .row .spark').first().waitFor();
  const labels = await page
    .locator('.grid .row .spark')
    .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
  const chart = await page.locator('.chart [aria-label]').first().getAttribute('aria-label');
  await page.locator('details > summary', { hasText: 'numbers' }).click();
  await page.locator('.numbers td').first().waitFor();
  const cells = await page.locator('.numbers td:nth-child(2)').allInnerTexts();
  return {
    chart: numberIn(chart),
    table: cells.reduce((sum, text) => sum + numberIn(text), 0),
    rows: labels.reduce((sum, label) => sum + numberIn(label), 0),
  };
}

test('requests through three proxies are one sum, by anything, at each of two replicas and on its page, also through restarts', async (t) => {
  t.timeout(600_000);
  const fleet = await CountedFleet.start(t);
  const first = await fleet.startProxy('first', 0);
  const second = await fleet.startProxy('second', 1);
  const third = await fleet.startProxy('third', 1);
  await fleet.send(1);
  await holds(t, fleet, 'with three proxies');
  t.is((await read(fleet, 0, 'node')).total, 3);

  // Its last counts are read and reported while it ends.
  await fleet.send(2);
  await third.agent.stop();
  const thirdAgain = await fleet.startProxy('third', 1);
  await fleet.send(3);
  await holds(t, fleet, 'after one was restarted');

  await fleet.send(4);
  await second.agent.stop();
  const fourth = await fleet.startProxy('fourth', 0);
  await fleet.send(5);
  await holds(t, fleet, 'after one was replaced');
  t.is((await read(fleet, 1, 'node')).total, 4);

  const sending = fleet.send(6);
  fleet.lead(first, 1);
  fleet.lead(fourth, 1);
  fleet.lead(thirdAgain, 0);
  await sending;
  await holds(t, fleet, 'after all went to the other replica');

  for (const which of both) {
    const { page, faults } = await openBrowser(t, `http://127.0.0.1:${fleet.replica(which).port}`);
    // The page, too, may have an answer without a replica that stood still.
    for (const by of ['route', 'backend'])
      await untilFits(
        `the sums on the page, by ${by}`,
        () => sumsOnPage(page, `http://127.0.0.1:${fleet.replica(which).port}`, by),
        (sums) => Object.values(sums).every((sum) => sum === fleet.total),
      );
    t.deepEqual(faults, []);
  }
});

test('a replica that starts again has lost what it kept, and nothing else; both say that counts are missing', async (t) => {
  t.timeout(600_000);
  const fleet = await CountedFleet.start(t);
  const proxies = [
    await fleet.startProxy('first', 0),
    await fleet.startProxy('second', 1),
    await fleet.startProxy('third', 1),
  ];
  await fleet.send(1);
  await holds(t, fleet, 'with two replicas');
  const byNode = countsOf(await read(fleet, 0, 'node'));
  const kept = byNode.get('first') ?? 0;
  const lost = fleet.total - kept;
  t.true(kept > 0 && lost > 0);

  // Its proxies go on, and keep what they count for whom they find next.
  await fleet.stopReplica(1);
  await fleet.send(2);
  const alone = await read(fleet, 0, 'route');
  t.false(alone.complete);
  t.true(
    alone.warnings.some((warning) => /replica-1/.test(warning)),
    alone.warnings.join('\n'),
  );
  await fleet.restartReplica(1);
  const [, second, third] = proxies;
  if (second && third) for (const proxy of [second, third]) fleet.lead(proxy, 1);
  await fleet.send(3);
  for (const which of both) {
    const traffic = await counted(fleet, which, fleet.total - lost, 'after the restart');
    t.is(traffic.totals.requests, fleet.total - lost);
    t.false(traffic.complete);
    t.true(traffic.warnings.some((warning) => /keeps traffic in memory/.test(warning)));
  }
});

/**
 * The page with thousands of routes: the whole program with its Envoy, and a real Chromium.
 *
 *     npm run bench -- page [--loads 5000,20000] [--turns 3]
 *
 * Each view is opened in a document of its own: milliseconds until it is painted, and of the tab's processor time; bytes on the wire; elements in the
 * document; the slowest answer of the API; and the longest turn of the control plane's event loop meanwhile. Then a search, key by key; the list from
 * its first row to its last; and the requests of the page while a thousand routes change. Writes bench/results/page.json and page.md.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeResults } from '../peer/results.ts';
import type { Figures, Note } from '../peer/rows.ts';
import { median } from '../support/figures.ts';
import { Tab } from './tab.ts';
import { World } from './world.ts';

const { values: options } = parseArgs({
  options: { loads: { type: 'string', default: '5000,20000' }, turns: { type: 'string', default: '3' } },
});
const turns = Number(options.turns);
/** Routes that get requests, and routes that change. */
const [active, changing] = [600, 1000];
const watchedMs = 10_000;

/** Each view by its name, its address, and what it shows when it is there. */
const views: readonly (readonly [name: string, address: string, shown: string])[] = [
  ['overview', '#/', '.cards .card strong'],
  ['routes', '#/routes', '.grid .row'],
  ['route', '#/routes/HTTPRoute/default/r7', '.rules > li'],
  ['why', '#/why?u=http%3A%2F%2Fr7.example.com%2F', '.answer'],
  ['gateways', '#/gateways', '.grid .row'],
  ['gateway', '#/gateways/default/edge', '.conditions li'],
  ['listener', '#/listeners/default.edge.http', '.conditions li'],
  ['backends', '#/backends', '.grid .row'],
  ['backend', '#/backends/default/s7:80', '.endpoints li'],
  ['traffic', '#/traffic', '.grid .row'],
  ['failures', '#/failures', '.panel'],
  ['changes', '#/changes', '.change'],
  ['map', '#/map', '.map .node'],
  ['proxies', '#/proxies', '.grid .row'],
  ['certificates', '#/certificates', '.empty'],
  ['editor, its text', '#/edit/HTTPRoute/default/r7', '.editor'],
  ['editor, checked', '#/edit/HTTPRoute/default/r7', '.report[data-valid="true"]'],
];

async function openViews(world: World, tab: Tab, note: Note): Promise<void> {
  // The first of all loads what the browser then has.
  const first = await tab.view(`${world.origin}/#/`, views[0]?.[2] ?? '');
  note('first visit: painted, ms', first.shownMs);
  note('first visit: bytes', first.bytes);
  for (const [name, address, shown] of views) {
    world.longestTurn();
    const figures = await tab.view(`${world.origin}/${address}`, shown);
    note(`${name}: painted, ms`, figures.shownMs);
    note(`${name}: processor time of the tab, ms`, figures.cpuMs);
    note(`${name}: bytes`, figures.bytes);
    note(`${name}: elements`, figures.nodes);
    note(`${name}: longest task of the tab, ms`, figures.longestTaskMs);
    note(`${name}: slowest answer, ms`, figures.slowestAnswerMs);
    note(`${name}: longest turn of the control plane, ms of CPU`, world.longestTurn());
    note(`${name}: heap of the tab, MB`, (await tab.heapBytes()) / 1e6);
  }
}

async function search(world: World, tab: Tab, note: Note): Promise<void> {
  await tab.view(`${world.origin}/#/routes`, '.grid .row');
  const keys = await tab.typing('.tools input[type=search]', 'r19 example');
  note('search of routes: a key, median, ms', median(keys));
  note('search of routes: the slowest key, ms', Math.max(...keys));
  await tab.view(`${world.origin}/#/`, '.cards .card strong');
  world.longestTurn();
  await tab.page.keyboard.press('/');
  await tab.page.locator('.palette input').first().waitFor();
  const began = performance.now();
  await tab.page.keyboard.insertText('r4999');
  await tab.page.locator('.palette li', { hasText: 'r4999' }).first().waitFor();
  note('search of everything: found, ms', performance.now() - began);
  note('search of everything: longest turn of the control plane, ms of CPU', world.longestTurn());
}

/** From the first row to the last in steps: the document stays as it is. */
async function scroll(world: World, tab: Tab, note: Note): Promise<void> {
  await tab.view(`${world.origin}/#/routes`, '.grid .row');
  let most = 0;
  for (let step = 0; step <= 20; step += 1) {
    await tab.page.evaluate(
      `(() => { const s = document.querySelector('.grid .scroller'); s.scrollTop = s.scrollHeight * ${step / 20}; })()`,
    );
    await tab.page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    most = Math.max(most, await tab.page.evaluate<number>("document.querySelectorAll('*').length"));
  }
  note('scrolled through all routes: most elements', most);
}

async function changeMany(world: World, tab: Tab, round: number, note: Note): Promise<void> {
  await tab.view(`${world.origin}/#/routes`, '.grid .row');
  const [before, began] = [tab.requests, performance.now()];
  world.change(changing, round);
  await Promise.all([world.changed(changing - 1, round), sleep(watchedMs)]);
  note(
    '1,000 routes change: requests of the page a second',
    ((tab.requests - before) * 1000) / (performance.now() - began),
  );
  note('1,000 routes change: longest turn of the control plane, ms of CPU', world.longestTurn());
}

async function measure(load: number, all: readonly Figures[]): Promise<void> {
  await using world = await World.start(load);
  await world.send(active);
  for (const [turn, figures] of all.entries()) {
    const note: Note = (what, value) => {
      if (value !== undefined)
        figures.set(`${what} @ ${load}`, typeof value === 'number' ? Math.round(value * 100) / 100 : value);
    };
    await using tab = await Tab.open();
    await openViews(world, tab, note);
    await search(world, tab, note);
    await scroll(world, tab, note);
    await changeMany(world, tab, turn + 1, note);
    process.stderr.write(`${load} routes, turn ${turn + 1} of ${turns}: done\n`);
  }
}

const write = (all: readonly Figures[]): Promise<string> =>
  writeResults({
    name: 'page',
    title: 'The page with thousands of routes',
    about: `The whole program, one Envoy, ${active} routes with requests; each view in a document of its own in Chromium.`,
    plots: [],
    subjects: [{ name: 'Gatewright', version: 'this' }],
    all: [{ subject: 'Gatewright', turns: all }],
  });

const all: readonly Figures[] = Array.from({ length: turns }, () => new Map());
let table = '';
for (const load of options.loads.split(',').map(Number)) {
  await measure(load, all);
  // What is measured is kept, whatever happens to the next load.
  table = await write(all);
}
console.log(table);

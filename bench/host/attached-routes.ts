/**
 * Routes come to a Gateway one by one and go again: how long until it counts them right, and how often it is written for that.
 *
 *     npm run bench -- attached-routes [--quick] [--routes 1000] [--turns 3] [--subjects gatewright,envoy-gateway]
 *
 * From the answer to the last new route until `attachedRoutes` is their number, from the first and from the last route's removal until it is
 * none again; writes of the Gateway's status and of the routes'; and how often a count was seen that could not be right: more than were
 * written, or fewer than before while they came. Needs what `peer` needs. `--quick`: 100 routes, one turn.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { kinds } from '../../src/gateway-api/index.ts';
import type { Note } from '../peer/rows.ts';
import { sideBySide, sideBySideOptions } from '../peer/side-by-side.ts';
import type { Subject } from '../peer/subject.ts';
import { namespace, type World } from '../peer/world.ts';
import { Counted } from './counted.ts';

const { values: options } = parseArgs({ options: { ...sideBySideOptions, routes: { type: 'string' } } });
const routes = Number(options.routes ?? (options.quick ? 100 : 1000));
/** Until no more writes follow. */
const quietMs = 5000;

await sideBySide(
  {
    name: 'attached-routes',
    title: 'Routes that a Gateway counts',
    about: `${routes.toLocaleString('en')} HTTPRoutes written one by one, then removed one by one.`,
    options,
  },
  async (world, subject, note) => {
    await subject.start();
    try {
      await subject.probe.ready();
      await subject.probe.removeRoute('ready', 'ready.example.com');
      using counted = new Counted(world, subject.gateway);
      await counted.becomes(0);
      counted.begin();
      await come(world, subject, counted, note);
      await go(world, subject, counted, note);
      note('counts that could not be right', counted.wrong);
    } finally {
      await subject.stop();
    }
  },
);

async function come(world: World, subject: Subject, counted: Counted, note: Note): Promise<void> {
  const [gateways, statuses] = await writesOf(world, subject);
  for (let at = 0; at < routes; at += 1) {
    counted.most = at + 1;
    await subject.probe.put(`load-${at}`, `load-${at}.example.com`);
  }
  const written = performance.now();
  const seen = await counted.becomes(routes);
  note('all counted, ms after the last was written', Math.max(0, seen - written));
  await delay(quietMs);
  const [gatewaysNow, statusesNow] = await writesOf(world, subject);
  note('writes of the Gateway while they come', gatewaysNow - gateways);
  note('status writes for each route', (statusesNow - statuses) / routes);
}

async function go(world: World, subject: Subject, counted: Counted, note: Note): Promise<void> {
  const [gateways] = await writesOf(world, subject);
  counted.growing = false;
  const began = performance.now();
  for (let at = 0; at < routes; at += 1)
    await world.api.client.delete(kinds.HTTPRoute, { namespace, name: `load-${at}` });
  const removed = performance.now();
  const seen = await counted.becomes(0);
  note('none counted, ms after the first was removed', seen - began);
  note('none counted, ms after the last was removed', Math.max(0, seen - removed));
  await delay(quietMs);
  const [gatewaysNow] = await writesOf(world, subject);
  note('writes of the Gateway while they go', gatewaysNow - gateways);
}

async function writesOf(world: World, { user }: Subject): Promise<readonly [gateways: number, routes: number]> {
  return [await world.writes.count(user, 'gateways'), await world.writes.count(user, 'httproutes')];
}

/**
 * Many proxies on one control plane: memory for each stream, and how long a change takes until the last one has it.
 *
 *     npm run bench -- fan-out [--quick] [--streams 2000] [--gateways 100] [--routes 5000] [--changes 20] [--turns 3] [--patience 10]
 *         [--subjects gatewright,envoy-gateway]
 *
 * Routes are spread over the Gateways, streams too, and all routes lead to one Service, whose endpoints are what changes: each change
 * goes to every stream, which has it when all its endpoints have the new address. The streams are of this process, which has to take and
 * acknowledge everything on the same cores: what is measured is both sides together. Needs what `peer` needs. `--quick`: 100 streams of
 * 10 Gateways, 200 routes, 5 changes.
 */
import { parseArgs } from 'node:util';
import { kinds } from '../../src/gateway-api/index.ts';
import { meter } from '../peer/meter.ts';
import type { Note } from '../peer/rows.ts';
import { reached, sideBySide, sideBySideOptions } from '../peer/side-by-side.ts';
import type { Subject } from '../peer/subject.ts';
import { namespace, type World } from '../peer/world.ts';
import { applyAll } from '../support/apply-all.ts';
import { isAccepted, type WithParents } from '../support/conditions.ts';
import { median, percentile } from '../support/figures.ts';
import { Fleet } from './fleet.ts';
import * as objects from './objects.ts';

const { values: options } = parseArgs({
  options: {
    ...sideBySideOptions,
    streams: { type: 'string' },
    gateways: { type: 'string' },
    routes: { type: 'string' },
    changes: { type: 'string' },
  },
});
const sizeOf = (given: string | undefined, quick: number, full: number) =>
  Number(given ?? (options.quick ? quick : full));
const streams = sizeOf(options.streams, 100, 2000);
const gateways = sizeOf(options.gateways, 10, 100);
const routes = sizeOf(options.routes, 200, 5000);
const changes = sizeOf(options.changes, 5, 20);

await sideBySide(
  {
    name: 'fan-out',
    title: 'Many proxies on one control plane',
    about: `${streams.toLocaleString('en')} streams of ${gateways} Gateways, ${routes.toLocaleString('en')} HTTPRoutes to one Service, whose endpoints change ${changes} times; control plane and all clients share the machine.`,
    plots: [{ what: 'change → last stream, ms, median' }, { what: 'control plane’s memory after the changes, MB' }],
    options,
    again: true,
  },
  async (world, subject, note) => {
    const { xdsPort } = subject;
    if (xdsPort === undefined || !subject.streams)
      throw new Error(`--subjects: proxies of ${subject.name} do not ask by delta xDS`);
    const { client: kube } = world.api;
    await applyAll(kube, [...objects.gateways(gateways, subject.gateway), objects.endpoints(0)]);
    await applyAll(kube, objects.routes(routes, gateways));
    await subject.start();
    const fleet = new Fleet(xdsPort, await subject.streams());
    try {
      await subject.probe.ready();
      const accepted = async () => (await kube.list<WithParents>(kinds.HTTPRoute)).filter(isAccepted).length;
      await world.patience.untilAll('all routes accepted', routes + 1, 'routes', accepted);
      if (await joined(world, subject, fleet, note)) await change(world, subject, fleet, note);
      if (fleet.error) note('a stream ended', fleet.error.message);
    } finally {
      fleet.close();
      await subject.stop();
    }
  },
);

/** @returns whether all have joined in time */
async function joined(world: World, subject: Subject, fleet: Fleet, note: Note): Promise<boolean> {
  const before = (await subject.processes()).controlPlane;
  note('control plane’s memory without streams, MB', before.rssMb);
  const all = await reached(note, 'all streams have everything, s', async () => {
    fleet.join(streams, (at) => `${namespace}/gw-${at % gateways}`);
    await world.patience.untilAll('streams', streams, 'streams', async () => fleet.joined);
  });
  const { controlPlane } = await subject.processes();
  note('control plane’s memory with them, MB', controlPlane.rssMb);
  note('for each stream, kB', ((controlPlane.rssMb - before.rssMb) * 1024) / Math.max(1, fleet.joined));
  note('control plane’s CPU for them, s', controlPlane.cpuSeconds - before.cpuSeconds);
  return all;
}

async function change(world: World, subject: Subject, fleet: Fleet, note: Note): Promise<void> {
  const before = await meter(subject);
  const bytes = fleet.bytes;
  const times: number[][] = [];
  for (let change = 1; change <= changes; change += 1) {
    fleet.expect(objects.newAddress(change));
    const began = performance.now();
    await world.api.client.apply(...objects.endpoints(change));
    await world.patience.untilAll('a change at all streams', streams, 'streams', async () => fleet.arrivals.length);
    times.push(fleet.arrivals.map((at) => at - began));
  }
  const lasts = times.map((one) => Math.max(...one));
  const after = await meter(subject);
  const { controlPlane } = await subject.processes();
  note('change → half of the streams, ms, median', median(times.flat()));
  note('change → 99 of a hundred streams, ms', percentile(times.flat(), 0.99));
  note('change → last stream, ms, median', median(lasts));
  note('change → last stream, ms, at most', Math.max(...lasts));
  note('bytes for each stream and change', (fleet.bytes - bytes) / streams / changes);
  note('control plane’s CPU for each change, ms', ((after.cpuSeconds - before.cpuSeconds) * 1000) / changes);
  note('control plane’s memory after the changes, MB', controlPlane.rssMb);
  note('at most, MB', controlPlane.peakMb);
}

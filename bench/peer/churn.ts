/**
 * Memory under churn: routes and endpoints change steadily for a long time, and the control plane's resident memory is looked at every two
 * seconds. It is a saw, as the collector goes; what matters is whether the floors of the saw rise.
 *
 *     npm run bench -- churn [--quick] [--routes 5000] [--minutes 15] [--per-second 5] [--turns 3] [--subjects gatewright,envoy-gateway]
 *
 * After a warm-up of a sixth, the time falls into ten equal windows; the floor of each is the least value in it, and the slope, in MB per
 * minute, that of the straight line through the floors. Hosts are never seen twice. Also reports how long new
 * routes take before and meanwhile. Needs what `peer` needs. `--quick`: two minutes with 500 routes.
 */
import { parseArgs } from 'node:util';
import { probeSeries } from '../support/probe-series.ts';
import { Churn } from './churning.ts';
import { addWideService } from './endpoint-changes.ts';
import { floorsOf, slopeOf } from './floors.ts';
import { meter } from './meter.ts';
import type { Note } from './rows.ts';
import { sideBySide, sideBySideOptions } from './side-by-side.ts';
import { type Subject, xdsBytes } from './subject.ts';

const { values: options } = parseArgs({
  options: {
    ...sideBySideOptions,
    routes: { type: 'string' },
    minutes: { type: 'string' },
    'per-second': { type: 'string', default: '5' },
  },
});
const routes = Number(options.routes ?? (options.quick ? 500 : 5000));
const minutes = Number(options.minutes ?? (options.quick ? 2 : 15));
const perSecond = Number(options['per-second']);
const windows = 10;
const warmUp = minutes / 6;
/** New routes before the churn. */
const probes = 20;

await sideBySide(
  {
    name: 'churn',
    title: 'Memory under churn',
    about: `${routes.toLocaleString('en')} HTTPRoutes; ${perSecond} of them change each second, an endpoint comes or goes three times in four seconds, and a new route comes every five, for ${minutes} minutes. Floors: the least of each of ${windows} windows after ${warmUp.toFixed(1)} minutes.`,
    plots: [{ what: 'floor of control plane’s memory, MB', over: 'minutes' }],
    options,
    again: true,
  },
  async (world, subject, note) => {
    await subject.start();
    try {
      await subject.probe.ready();
      await addWideService(world, subject);
      await subject.probe.load(0, routes);
      const before = await probeSeries(subject.probe, probes);
      note('new route before: written → 200, ms, median', before.sentTo200Ms.p50);
      await churn(new Churn(world, subject, { routes, minutes, perSecond }), subject, note);
    } finally {
      await subject.stop();
    }
  },
);

async function churn(churn: Churn, subject: Subject, note: Note): Promise<void> {
  const before = await meter(subject);
  const { changes, newRouteMs, memory } = await churn.run();
  const after = await meter(subject);
  const { controlPlane } = await subject.processes();
  note('new route meanwhile: written → 200, ms, median', newRouteMs.p50);
  note('new route meanwhile: written → 200, ms, 99th of a hundred', newRouteMs.p99);
  note('new routes meanwhile', newRouteMs.count);
  note('changes', changes);
  note('control plane’s CPU for each, ms', ((after.cpuSeconds - before.cpuSeconds) * 1000) / changes);
  note('xDS bytes for each', xdsBytes(subject, (after.bytes - before.bytes) / changes));
  note('control plane’s memory at first, MB', memory[0]?.mb);
  note('at last, MB', memory.at(-1)?.mb);
  note('at most, MB', controlPlane.peakMb);
  const floors = floorsOf(memory, { from: warmUp, to: minutes, windows });
  for (const { minutes, mb } of floors) note(`floor of control plane’s memory, MB @ ${minutes.toFixed(1)}`, mb);
  note('slope of the floors, MB/min', slopeOf(floors));
}

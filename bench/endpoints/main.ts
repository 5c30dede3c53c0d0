/**
 * One endpoint changes: what that costs, and how long until an Envoy has it.
 *
 *     npm run bench -- endpoints [--quick] [--changes 50] [--slices 100] [--services 1000] [--turns 3] [--patience 10]
 *         [--subjects gatewright,envoy-gateway]
 *
 * Once among 10,000 of one Service, in slices of a hundred as Kubernetes makes them: Envoy has the change when its own count of the
 * cluster's members is the new one. Once among ten of each of 1,000 Services, each with a route: Envoy has the change when its dump of that
 * cluster shows the new address. It is asked every millisecond. Bytes on xDS and CPU are measured over as many changes again without these
 * questions, and without what idling takes. Needs what `peer` needs. `--quick`: 10 slices, 50 Services, 10 changes.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { during, idling } from '../peer/during.ts';
import type { Note } from '../peer/rows.ts';
import { sideBySide, sideBySideOptions } from '../peer/side-by-side.ts';
import { type Subject, xdsBytes } from '../peer/subject.ts';
import { median, percentile } from '../support/figures.ts';
import { ManyServices } from './many-services.ts';
import type { Shape } from './shape.ts';
import { WideService } from './wide-service.ts';

const { values: options } = parseArgs({
  options: {
    ...sideBySideOptions,
    changes: { type: 'string' },
    slices: { type: 'string' },
    services: { type: 'string' },
  },
});
const sizeOf = (given: string | undefined, quick: number, full: number) =>
  Number(given ?? (options.quick ? quick : full));
const changes = sizeOf(options.changes, 10, 50);
const slices = sizeOf(options.slices, 10, 100);
const services = sizeOf(options.services, 50, 1000);
const idleMs = options.quick ? 5000 : 10_000;
/** Between changes, so that no subject gathers two into one. */
const pauseMs = 300;

await sideBySide(
  {
    name: 'endpoints',
    title: 'One endpoint changes',
    about: `${changes} changes of one endpoint each, among so many Services × endpoints.`,
    plots: [{ what: 'written → Envoy has it, ms, median', over: 'Services × endpoints' }],
    options,
    again: true,
  },
  async (world, subject, note) => {
    await subject.start();
    try {
      await subject.probe.ready();
      await measure(subject, new WideService(world, subject, slices), note);
      await measure(subject, new ManyServices(world, subject, services), note);
    } finally {
      await subject.stop();
    }
  },
);

async function measure(subject: Subject, shape: Shape, keep: Note): Promise<void> {
  const note: Note = (what, value) => keep(`${what} @ ${shape.name}`, value);
  await shape.write();
  const idle = await idling(subject, idleMs);
  const times: number[] = [];
  for (let at = 0; at < changes; at += 1) {
    const began = performance.now();
    await shape.change(at);
    await shape.arrived();
    times.push(performance.now() - began);
    await delay(pauseMs);
  }
  const cost = await during(subject, idle, async () => {
    for (let at = changes; at < 2 * changes; at += 1) {
      await shape.change(at);
      await delay(pauseMs);
    }
  });
  note('written → Envoy has it, ms, median', median(times));
  note('written → Envoy has it, ms, 99th of a hundred', percentile(times, 0.99));
  note('xDS bytes for each change', xdsBytes(subject, cost.bytes / changes));
  note('control plane’s CPU for each, ms', (cost.cpuSeconds * 1000) / changes);
  note('proxy’s CPU for each, ms', (cost.proxyCpuSeconds * 1000) / changes);
  const { controlPlane } = await subject.processes();
  note('control plane’s memory, MB', controlPlane.rssMb);
  await shape.remove();
}

/**
 * A bystander: routes of another controller's Gateway, and what they cost a control plane that has nothing to do with them.
 *
 *     npm run bench -- foreign [--quick] [--routes 40000] [--seconds 60] [--turns 3] [--subjects gatewright,envoy-gateway]
 *
 * Memory before and after they are written, CPU for taking them in, when idle, and while one of them changes every second, then every 100 ms;
 * what is sent to proxies and written to their statuses meanwhile, which should be nothing. Needs what `peer` needs. `--quick`: 1,000 routes, 10 seconds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { kinds } from '../../src/gateway-api/index.ts';
import { idling } from '../peer/during.ts';
import { cores, difference, meter } from '../peer/meter.ts';
import type { Figure, Note } from '../peer/rows.ts';
import { sideBySide, sideBySideOptions } from '../peer/side-by-side.ts';
import { type Subject, xdsBytes } from '../peer/subject.ts';
import { backend, namespace, type World } from '../peer/world.ts';
import { applyAll, type Typed } from '../support/apply-all.ts';

const { values: options } = parseArgs({
  options: { ...sideBySideOptions, routes: { type: 'string' }, seconds: { type: 'string' } },
});
const routes = Number(options.routes ?? (options.quick ? 1000 : 40_000));
const seconds = Number(options.seconds ?? (options.quick ? 10 : 60));
/** Until nothing is left of taking them in, garbage included. */
const quietMs = options.quick ? 5000 : 45_000;
const apiVersion = 'gateway.networking.k8s.io/v1';

await sideBySide(
  {
    name: 'foreign',
    title: 'Routes of another controller’s Gateway',
    about: `${routes.toLocaleString('en')} HTTPRoutes of another class, then changes to one after the other, one each second for ${seconds} s and up to ten for as long.`,
    plots: [{ what: 'with them, MB' }],
    options,
    again: true,
  },
  async (world, subject, note) => {
    await subject.start();
    try {
      await subject.probe.ready();
      await world.addGateway('elsewhere', 'example.com/another-controller', 80);
      await takeIn(world, subject, note);
      await delay(quietMs);
      const { cpuPerMs } = await idling(subject, seconds * 1000);
      note('control plane’s CPU when idle, share of a core', cpuPerMs * 1000);
      await changeThem(world, subject, 1000, note);
      await changeThem(world, subject, 100, note);
    } finally {
      await subject.stop();
    }
  },
);

async function takeIn(world: World, subject: Subject, note: Note): Promise<void> {
  const before = (await subject.processes()).controlPlane;
  await applyAll(
    world.api.client,
    Array.from({ length: routes }, (_, at) => route(at, `host-${at}.example.com`)),
  );
  // One of its own, written last: when it answers, the others have been seen too.
  await subject.probe.put('own', 'own.example.com');
  await subject.probe.answersOn('own.example.com');
  const { controlPlane } = await subject.processes();
  note('control plane’s memory before, MB', before.rssMb);
  note('with them, MB', controlPlane.rssMb);
  note('at most, MB', controlPlane.peakMb);
  note('more for each route, kB', ((controlPlane.rssMb - before.rssMb) * 1024) / routes);
  note('its CPU to take them in, s', controlPlane.cpuSeconds - before.cpuSeconds);
}

async function changeThem(world: World, subject: Subject, everyMs: number, note: Note): Promise<void> {
  const written = await world.writes.count(subject.user, 'httproutes');
  const before = await meter(subject);
  const end = performance.now() + seconds * 1000;
  let changes = 0;
  for (; performance.now() < end; changes += 1) {
    await world.api.client.apply(...route(changes % routes, `new-${everyMs}-${changes}.example.com`));
    await delay(everyMs);
  }
  const after = await meter(subject);
  const spent = difference(before, after);
  const at = (what: string, value: Figure) => note(`${what} @ ${1000 / everyMs}`, value);
  at('changes of one route', changes);
  at('control plane’s CPU meanwhile, share of a core', cores(before, after));
  at('xDS bytes meanwhile', xdsBytes(subject, spent.bytes));
  at('status writes meanwhile', (await world.writes.count(subject.user, 'httproutes')) - written);
}

function route(at: number, host: string): Typed {
  const spec = {
    parentRefs: [{ name: 'elsewhere' }],
    hostnames: [host],
    rules: [{ backendRefs: [{ name: backend.name, port: backend.port }] }],
  };
  return [kinds.HTTPRoute, { apiVersion, kind: 'HTTPRoute', metadata: { name: `foreign-${at}`, namespace }, spec }];
}

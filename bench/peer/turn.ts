import { probeSeries } from '../support/probe-series.ts';
import { during, type Idle, idling } from './during.ts';
import { addWideService, changeEndpoints } from './endpoint-changes.ts';
import { flips } from './flips.ts';
import { meter } from './meter.ts';
import { changeRoute } from './route-changes.ts';
import type { Note } from './rows.ts';
import { apartFromProxy, envoyMemoryMb, type Subject, xdsBytes } from './subject.ts';
import type { World } from './world.ts';

export interface TurnOptions {
  /** Numbers of routes, growing. */
  readonly loads: readonly number[];
  /** New routes at each of them. */
  readonly probes: number;
  /** How often one route changes under traffic. */
  readonly flips: number;
  /** How long nothing happens while CPU and bytes of idling are taken, in milliseconds. */
  readonly idleMs: number;
}

/**
 * One subject alone: started, filled with routes step by step, and at each step probed, started again from nothing and idle for a while;
 * then ended, and all its routes removed.
 */
export async function takeTurn(world: World, subject: Subject, keep: Note, options: TurnOptions): Promise<void> {
  let loaded = 0;
  await subject.start();
  try {
    await subject.probe.ready();
    await addWideService(world, subject);
    for (const routes of options.loads) {
      const note: Note = (what, value) => keep(`${what} @ ${routes}`, value);
      const writesBefore = await world.writes.count(subject.user, 'httproutes');
      const start = await meter(subject);
      const { lastAnswersMs, allAcceptedMs } = await subject.probe.load(loaded, routes);
      note('last route of a bulk load answers, ms after its write', lastAnswersMs);
      note('all statuses of a bulk load, ms after its write', allAcceptedMs);
      if (routes > loaded) {
        note('control plane’s CPU for the load, s', (await meter(subject)).cpuSeconds - start.cpuSeconds);
        const writes = (await world.writes.count(subject.user, 'httproutes')) - writesBefore;
        note('status writes for each route', writes / (routes - loaded));
      }
      loaded = Math.max(loaded, routes);
      const idle = await idling(subject, options.idleMs);
      note('control plane’s CPU when idle, share of a core', idle.cpuPerMs * 1000);
      await probe(subject, options, idle, note);
      await changeUnasked(world, subject, options, idle, note);
      const { requests, failed } = await flips(subject, options.flips);
      note('requests while one route changes', requests);
      note('of them not answered 200', failed);
      const { controlPlane, proxy } = await subject.processes();
      note('control plane’s memory, MB', controlPlane.rssMb);
      note('Envoy’s memory, MB', envoyMemoryMb(proxy));
      await coldStart(subject, loaded, note);
    }
  } finally {
    await subject.stop();
    await subject.probe.removeAll();
  }
}

async function probe(subject: Subject, options: TurnOptions, idle: Idle, note: Note): Promise<void> {
  let series: Awaited<ReturnType<typeof probeSeries>> | undefined;
  const cost = await during(subject, idle, async () => {
    series = await probeSeries(subject.probe, options.probes);
  });
  // Each new route is removed again: two changes.
  const changes = options.probes * 2;
  note('new route: written → 200, ms, median', series?.sentTo200Ms.p50);
  note('new route: written → 200, ms, 99th of a hundred', series?.sentTo200Ms.p99);
  note('new route: write returned → 200, ms, median', series?.returnedTo200Ms.p50);
  note('answers before the 200 that were no 404', series?.surprises);
  note('control plane’s CPU for each route change, ms', apartFromProxy(subject, (cost.cpuSeconds * 1000) / changes));
  note('xDS bytes for each route change', xdsBytes(subject, cost.bytes / changes));
}

/** What no request asks for changes: what it costs is the control plane's alone, even where that is the proxy too. */
async function changeUnasked(world: World, subject: Subject, { probes: count }: TurnOptions, idle: Idle, note: Note) {
  const endpoints = await during(subject, idle, () => changeEndpoints(world, count));
  note('xDS bytes for each change of one endpoint of ten', xdsBytes(subject, endpoints.bytes / count));
  note('control plane’s CPU for each of them, ms', (endpoints.cpuSeconds * 1000) / count);
  const routes = await during(subject, idle, () => changeRoute(subject, count));
  note('control plane’s CPU for each change of a route without requests, ms', (routes.cpuSeconds * 1000) / count);
}

async function coldStart(subject: Subject, routes: number, note: Note): Promise<void> {
  await subject.stop();
  const began = performance.now();
  await subject.start();
  if (routes > 0) await subject.probe.answers(routes - 1);
  else await subject.probe.ready();
  note('start from nothing → last route answers, s', (performance.now() - began) / 1000);
  note('control plane’s CPU for it, s (start)', (await meter(subject)).cpuSeconds);
}

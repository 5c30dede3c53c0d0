import { setTimeout as delay } from 'node:timers/promises';
import { probeSeries } from '../support/probe-series.ts';
import { addWideService, changeEndpoints } from './endpoint-changes.ts';
import { flips } from './flips.ts';
import { type Meter, meter } from './meter.ts';
import type { Subject } from './subject.ts';
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

/** Figures by name: `what, unit @ routes`. */
export type Figures = Map<string, number>;

/**
 * One subject alone: started, filled with routes step by step, and at each step probed, started again from nothing and idle for a while;
 * then ended, and all its routes removed.
 */
export async function takeTurn(world: World, subject: Subject, options: TurnOptions): Promise<Figures> {
  const figures: Figures = new Map();
  let loaded = 0;
  await subject.start();
  try {
    await subject.probe.ready();
    await addWideService(world, subject);
    for (const routes of options.loads) {
      const note = (what: string, value: number | undefined) => {
        if (value !== undefined) figures.set(`${what} @ ${routes}`, value);
      };
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
      const endpoints = await during(subject, idle, () => changeEndpoints(world, options.probes));
      note('xDS bytes for each change of one endpoint of ten', endpoints.bytes / options.probes);
      note('control plane’s CPU for each of them, ms', (endpoints.cpuSeconds * 1000) / options.probes);
      const { requests, failed } = await flips(subject, options.flips);
      note('requests while one route changes', requests);
      note('of them not answered 200', failed);
      const { controlPlane, proxy } = await subject.processes();
      note('control plane’s memory, MB', controlPlane.rssMb);
      note('Envoy’s memory, MB', proxy.find(({ what }) => what.startsWith('envoy'))?.rssMb);
      await coldStart(subject, loaded, note);
    }
  } finally {
    await subject.stop();
  }
  await subject.probe.removeAll();
  return figures;
}

type Note = (what: string, value: number | undefined) => void;

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
  note('control plane’s CPU for each route change, ms', (cost.cpuSeconds * 1000) / changes);
  note('xDS bytes for each route change', cost.bytes / changes);
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

/** What idling costs. */
interface Idle {
  readonly cpuPerMs: number;
  readonly bytesPerMs: number;
}

async function idling(subject: Subject, ms: number): Promise<Idle> {
  const before = await meter(subject);
  await delay(ms);
  const spent = difference(before, await meter(subject));
  return { cpuPerMs: spent.cpuSeconds / spent.ms, bytesPerMs: spent.bytes / spent.ms };
}

/** What something costs the control plane, idling taken off. */
async function during(subject: Subject, idle: Idle, act: () => Promise<unknown>): Promise<Meter> {
  const before = await meter(subject);
  await act();
  await settled(subject);
  const spent = difference(before, await meter(subject));
  return {
    ms: spent.ms,
    cpuSeconds: Math.max(0, spent.cpuSeconds - idle.cpuPerMs * spent.ms),
    bytes: Math.max(0, spent.bytes - idle.bytesPerMs * spent.ms),
  };
}

/** Waits until nothing was sent for a while. */
async function settled(subject: Subject): Promise<void> {
  for (let last = -1; ; ) {
    const { bytes } = await meter(subject);
    if (bytes === last) return;
    last = bytes;
    await delay(quietMs);
  }
}

const quietMs = 1000;

const difference = (before: Meter, after: Meter): Meter => ({
  ms: after.ms - before.ms,
  cpuSeconds: after.cpuSeconds - before.cpuSeconds,
  bytes: after.bytes - before.bytes,
});

/**
 * Memory under churn: routes and endpoints change steadily for a long time, and the control plane's resident memory is looked at every ten
 * seconds. Its slope, in MB per minute, is that of the straight line through the second half.
 *
 *     npm run bench -- churn [--subject gatewright|envoy-gateway] [--routes 5000] [--minutes 30] [--per-second 5]
 *
 * Each change is to a host or an endpoint never seen before. Also tells how long new routes take meanwhile. Needs what `peer` needs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureEnvoyGateway } from '../../scripts/setup/envoy-gateway.mjs';
import { inOwnNetwork } from '../host/own-network.ts';
import { median, percentile } from '../support/figures.ts';
import { addWideService, changeEndpoints } from './endpoint-changes.ts';
import { EnvoyGateway } from './envoy-gateway.ts';
import { Gatewright } from './gatewright.ts';
import { meter } from './meter.ts';
import { World } from './world.ts';

const { values: options } = parseArgs({
  options: {
    subject: { type: 'string', default: 'gatewright' },
    routes: { type: 'string', default: '5000' },
    minutes: { type: 'string', default: '30' },
    'per-second': { type: 'string', default: '5' },
  },
});
const routes = Number(options.routes);
const sampleMs = 10_000;

const peer = options.subject === 'gatewright' ? undefined : await ensureEnvoyGateway();
inOwnNetwork({ folder: '/certs' });

await using world = await World.open(peer?.definitions);
const subject = peer ? await EnvoyGateway.prepare(world, peer) : await Gatewright.prepare(world);
await subject.start();
try {
  await subject.probe.ready();
  await addWideService(world, subject);
  await subject.probe.load(0, routes);
  const start = await meter(subject);
  const end = performance.now() + Number(options.minutes) * 60_000;
  let changes = 0;
  const propagation: number[] = [];
  const samples: { readonly minutes: number; readonly rssMb: number }[] = [];
  await Promise.all([changeRoutes(), moveEndpoints(), probeNow(), sample()]);
  const { controlPlane } = await subject.processes();
  const spent = (await meter(subject)).cpuSeconds - start.cpuSeconds;
  console.log(
    JSON.stringify({
      subject: subject.name,
      routes,
      minutes: Number(options.minutes),
      changes,
      cpuMsPerChange: Math.round((spent * 1000) / changes),
      newRouteMs: { count: propagation.length, p50: median(propagation), p99: percentile(propagation, 0.99) },
      rssMb: { first: samples[0]?.rssMb, last: samples.at(-1)?.rssMb, peak: controlPlane.peakMb },
      slopeMbPerMinute: slope(samples.slice(samples.length / 2)),
      samples: samples.map(({ rssMb }) => rssMb),
    }),
  );

  async function changeRoutes(): Promise<void> {
    while (performance.now() < end) {
      const at = changes % routes;
      await subject.probe.put(`load-${at}`, `churn-${changes}.example.com`);
      changes += 1;
      await delay(1000 / Number(options['per-second']));
    }
  }

  async function moveEndpoints(): Promise<void> {
    while (performance.now() < end) {
      await changeEndpoints(world, 2);
      changes += 2;
      await delay(2000);
    }
  }

  async function probeNow(): Promise<void> {
    for (let at = 0; performance.now() < end; at += 1) {
      const host = `probe-${at}.example.com`;
      const began = performance.now();
      await subject.probe.applyAndAsk(`probe-${at}`, host);
      propagation.push(performance.now() - began);
      await subject.probe.removeRoute(`probe-${at}`, host);
      changes += 2;
      await delay(5000);
    }
  }

  async function sample(): Promise<void> {
    const began = performance.now();
    while (performance.now() < end) {
      const { controlPlane: now } = await subject.processes();
      samples.push({ minutes: (performance.now() - began) / 60_000, rssMb: now.rssMb });
      await delay(sampleMs);
    }
  }
} finally {
  await subject.stop();
  subject.probe.close();
}

/** By least squares. */
function slope(points: readonly { readonly minutes: number; readonly rssMb: number }[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(({ minutes }) => minutes)), mean(points.map(({ rssMb }) => rssMb))];
  const over = points.reduce((sum, point) => sum + (point.minutes - x) * (point.rssMb - y), 0);
  const under = points.reduce((sum, point) => sum + (point.minutes - x) ** 2, 0);
  return Math.round((over / under) * 100) / 100;
}

/**
 * What a number of routes costs, without a kubelet in the way: a real API server with etcd, the control plane and one data plane as
 * processes, routes on hosts of their own.
 *
 *     npm run bench -- scale [--loads 0,1000,5000] [--probes 30] [--seed]
 *
 * For each load, one line of JSON: writing the routes, the last of them answering, all statuses; new routes one by one, by two clocks;
 * memory and CPU of control plane, agent and Envoy; then both sides ended and started from nothing (cold), until the data plane has
 * applied everything and the last route answers. With `--seed` the routes are written into etcd, as the API server would keep them, while
 * neither side runs; then the cold start comes first. That saves most of the CPU of a load, which is the API server's.
 */
import { parseArgs } from 'node:util';
import { Gatewright } from '../peer/gatewright.ts';
import { World } from '../peer/world.ts';
import { probeSeries } from '../support/probe-series.ts';
import { inOwnNetwork } from './own-network.ts';
import { seedRoutes } from './seed-routes.ts';

const { values: options } = parseArgs({
  options: {
    loads: { type: 'string', default: '0,1000,5000' },
    probes: { type: 'string', default: '30' },
    seed: { type: 'boolean', default: false },
  },
});

inOwnNetwork();
await using world = await World.open();
const subject = await Gatewright.prepare(world);
await subject.start();
try {
  await subject.probe.ready();
  let loaded = 0;
  for (const load of options.loads.split(',').map(Number)) {
    const before = loaded;
    loaded = Math.max(loaded, load);
    const figures = options.seed ? await seeded(before, loaded) : await written(before, loaded);
    console.log(JSON.stringify({ routes: loaded, ...figures }));
  }
} finally {
  await subject.stop();
  subject.probe.close();
}

async function written(before: number, loaded: number) {
  const loading = await subject.probe.load(before, loaded);
  const probes = await probeSeries(subject.probe, Number(options.probes));
  const processes = await taken();
  await subject.stop();
  return { ...loading, ...probes, processes, cold: await coldStart(loaded) };
}

async function seeded(before: number, loaded: number) {
  await seedRoutes(world.api, before, loaded, () => subject.stop());
  const cold = await coldStart(loaded);
  const probes = await probeSeries(subject.probe, Number(options.probes));
  return { cold, ...probes, processes: await taken() };
}

async function coldStart(loaded: number) {
  const began = performance.now();
  await subject.start();
  await subject.dataPlaneReady();
  const readyMs = Math.round(performance.now() - began);
  if (loaded > 0) await subject.probe.answers(loaded - 1);
  const answersMs = Math.round(performance.now() - began);
  return { readyMs, answersMs, processes: await taken() };
}

async function taken() {
  const { controlPlane, proxy } = await subject.processes();
  return [controlPlane, ...proxy];
}

/**
 * What a number of routes costs, without a kubelet in the way: a real API server with etcd, the control plane and one data plane as
 * processes, routes on hosts of their own.
 *
 *     npm run bench -- scale [--loads 0,1000,5000] [--probes 30]
 *
 * For each load, one line of JSON: writing the routes, the last of them answering, all statuses; new routes one by one, by two clocks;
 * memory and CPU of control plane, agent and Envoy; then both sides ended and started from nothing (cold), until the data plane has
 * applied everything and the last route answers.
 */
import { parseArgs } from 'node:util';
import { Gatewright } from '../peer/gatewright.ts';
import { World } from '../peer/world.ts';
import { probeSeries } from '../support/probe-series.ts';
import { inOwnNetwork } from './own-network.ts';

const { values: options } = parseArgs({
  options: { loads: { type: 'string', default: '0,1000,5000' }, probes: { type: 'string', default: '30' } },
});

inOwnNetwork();
await using world = await World.open();
const subject = await Gatewright.prepare(world);
await subject.start();
try {
  await subject.probe.ready();
  let loaded = 0;
  for (const load of options.loads.split(',').map(Number)) {
    const loading = await subject.probe.load(loaded, load);
    loaded = Math.max(loaded, load);
    const probes = await probeSeries(subject.probe, Number(options.probes));
    const processes = await figures();
    await subject.stop();
    const began = performance.now();
    await subject.start();
    await subject.dataPlaneReady();
    const readyMs = Math.round(performance.now() - began);
    if (loaded > 0) await subject.probe.answers(loaded - 1);
    const answersMs = Math.round(performance.now() - began);
    const cold = { readyMs, answersMs, processes: await figures() };
    console.log(JSON.stringify({ routes: loaded, ...loading, ...probes, processes, cold }));
  }
} finally {
  await subject.stop();
  subject.probe.close();
}

async function figures() {
  const { controlPlane, proxy } = await subject.processes();
  return [controlPlane, ...proxy];
}

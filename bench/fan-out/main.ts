/**
 * Many proxies on one control plane: memory for each stream, and how long a change takes until the last one has it.
 *
 *     npm run bench -- fan-out [--streams 2000] [--gateways 100] [--routes 5000] [--changes 20]
 *
 * A real API server with etcd; routes are spread over the Gateways, streams too, and all routes lead to one Service, whose endpoints
 * are what changes: each change goes to every stream. The streams are of this process, which has to take and acknowledge everything on the
 * same cores: what is measured is both sides together. One line of JSON.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../scripts/free-port.ts';
import { KubeApiServer } from '../../test/support/kube-apiserver.ts';
import { until } from '../../test/support/until.ts';
import { Program } from '../host/program.ts';
import { applyAll } from '../support/apply-all.ts';
import { isReady } from '../support/ask.ts';
import { endChild } from '../support/children.ts';
import { median, percentile } from '../support/figures.ts';
import { Fleet } from './fleet.ts';
import * as objects from './objects.ts';

const { values: options } = parseArgs({
  options: {
    streams: { type: 'string', default: '2000' },
    gateways: { type: 'string', default: '100' },
    routes: { type: 'string', default: '5000' },
    changes: { type: 'string', default: '20' },
  },
});
const [streams, gateways, routes, changes] = [options.streams, options.gateways, options.routes, options.changes].map(
  Number,
) as [number, number, number, number];
/** Streams that join at once. */
const joining = 20;

await using api = await KubeApiServer.start({ crds: 'experimental' });
await applyAll(api.client, [...objects.gateways(gateways), objects.endpoints(0)]);
await applyAll(api.client, objects.routes(routes, gateways));
const [xds = 0, admin, layout2, metrics] = await Promise.all(Array.from({ length: 4 }, freePort));
const program = await Program.prepare(join(api.directory, 'gatewright'), {
  source: { kubernetes: { kubeconfig: api.kubeconfig } },
  xds: { listen: `127.0.0.1:${xds}`, insecure: true },
  admin: { listen: `127.0.0.1:${admin}`, layout2Listen: `127.0.0.1:${layout2}` },
  metrics: { listen: `127.0.0.1:${metrics}` },
  infrastructure: { image: 'nobody-runs-it', serviceType: 'ClusterIP' },
  log: { level: 'warn' },
});
const controlPlane = await program.start('control-plane');
const fleet = new Fleet(xds);
try {
  // Looks at the process each time: one that has ended is never ready.
  await until(
    'the control plane',
    async () => (await figures()) && (await isReady(`http://127.0.0.1:${admin}`)),
    600_000,
  );
  const before = await figures();
  const began = performance.now();
  const numbers = Array.from({ length: streams }, (_, at) => at).values();
  const joinSome = async () => {
    for (const at of numbers) await fleet.join(`default/gw-${at % gateways}`);
  };
  await Promise.all(Array.from({ length: joining }, joinSome));
  const joinedMs = Math.round(performance.now() - began);
  const joined = await figures();
  const arrivals: number[][] = [];
  const bytesBefore = fleet.bytes;
  for (let change = 1; change <= changes; change += 1) {
    const all = fleet.next();
    await api.client.apply(...objects.endpoints(change));
    arrivals.push(await all);
  }
  const after = await figures();
  const lasts = arrivals.map((times) => Math.max(...times));
  console.log(
    JSON.stringify({
      streams,
      gateways,
      routes,
      joinedMs,
      rssMb: { without: before.rssMb, with: joined.rssMb, afterChanges: after.rssMb, peak: after.peakMb },
      rssKbPerStream: Math.round(((joined.rssMb - before.rssMb) * 1024) / streams),
      changeToAllMs: { everyone: { p50: median(arrivals.flat()), p99: percentile(arrivals.flat(), 0.99) } },
      changeToLastMs: { p50: median(lasts), max: Math.max(...lasts) },
      bytesPerStreamAndChange: Math.round((fleet.bytes - bytesBefore) / streams / changes),
      cpuMsPerChange: Math.round(((after.cpuSeconds - joined.cpuSeconds) * 1000) / changes),
    }),
  );
} finally {
  fleet.close();
  await endChild(controlPlane);
}

async function figures() {
  const [own] = await program.figuresOf('control-plane', controlPlane);
  if (!own) throw new Error('the control plane ended while it was looked at');
  return own;
}

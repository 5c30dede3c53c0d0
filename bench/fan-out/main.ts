/**
 * Many proxies on one control plane: memory for each stream, and how long a change takes until the last one has it.
 *
 *     npm run bench -- fan-out [--streams 2000] [--gateways 100] [--routes 5000] [--changes 20]
 *
 * The control plane reads a directory; routes are spread over the Gateways, streams too, and all routes lead to one Service, whose endpoints
 * are what changes: each change goes to every stream. The streams are of this process, which has to take and acknowledge everything on the
 * same cores: what is measured is both sides together. One line of JSON.
 */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../../scripts/bundle.ts';
import { freePort } from '../../scripts/free-port.ts';
import { until } from '../../test/support/until.ts';
import { endChild, pidOf, startChild } from '../peer/children.ts';
import { isReady } from '../support/ask.ts';
import { median, percentile } from '../support/figures.ts';
import { processesOf } from '../support/processes.ts';
import { endpoints, gatewayDocuments } from './documents.ts';
import { Fleet } from './fleet.ts';

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

const folder = await mkdtemp(join(tmpdir(), 'gatewright-fan-out-'));
const resources = join(folder, 'resources');
await mkdir(resources);
await writeFile(join(resources, 'world.yaml'), gatewayDocuments(gateways, routes));
await writeEndpoints(0);
await bundle(join(folder, 'app'));
const [xds = 0, admin, layout2, metrics] = await Promise.all(Array.from({ length: 4 }, freePort));
const config = {
  source: { directory: resources },
  xds: { listen: `127.0.0.1:${xds}`, insecure: true },
  admin: { listen: `127.0.0.1:${admin}`, layout2Listen: `127.0.0.1:${layout2}` },
  metrics: { listen: `127.0.0.1:${metrics}` },
  log: { level: 'warn' },
};
await writeFile(join(folder, 'config.json'), JSON.stringify(config));
const log = join(folder, 'control-plane.log');
const controlPlane = await startChild(
  process.execPath,
  [join(folder, 'app/bin/gatewright.js'), 'control-plane', '--config', join(folder, 'config.json')],
  { log },
);
const fleet = new Fleet(xds);
try {
  await until('the control plane', () => isReady(`http://127.0.0.1:${admin}`), 600_000);
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
    await writeEndpoints(change);
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
  await rm(folder, { recursive: true, force: true });
}

/** As an editor does: the file is there whole, or as it was. */
async function writeEndpoints(change: number): Promise<void> {
  await writeFile(join(folder, 'endpoints.new'), endpoints(change));
  await rename(join(folder, 'endpoints.new'), join(resources, 'endpoints.yaml'));
}

async function figures() {
  const [own] = await processesOf(pidOf(controlPlane, 'the control plane', log));
  if (!own) throw new Error('the control plane ended while it was looked at');
  return own;
}

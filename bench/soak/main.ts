/**
 * What a long time does: thousands of routes, ten changes a second, policies, sessions, AI traffic and readers of the admin API, all at once.
 *
 *     npm run bench -- soak [--minutes 60] [--routes 5000] [--per-second 10] [--piece FOLDER]
 *
 * Every five seconds: memory and descriptors of control plane, agent and Envoy, the event loop's 99th percentile, and the size of the SQLite
 * file. Slopes of memory are those of its floors, as in `churn`. With `--piece` the samples, the SQLite file and the agent's cache are kept in
 * the folder, and the next run with it goes on where this one ended, as after a restart; the report has all pieces. A wrong answer of the
 * traffic or of the admin API ends it with 1, and so do descriptors that grow by more than 60. Needs Linux, root, util-linux and iproute2.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { inOwnNetwork } from '../host/own-network.ts';
import { Changes } from './changes.ts';
import { Readers } from './readers.ts';
import { reportsOf } from './report.ts';
import { loopOf, processSample, SampleFile, sqliteKbOf } from './samples.ts';
import { Traffic } from './traffic.ts';
import { openWorld, type World } from './world.ts';

const everyMs = 5000;
/** Connections that come and go. */
const descriptorSlack = 60;

inOwnNetwork();
const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    routes: { type: 'string', default: '5000' },
    'per-second': { type: 'string', default: '10' },
    piece: { type: 'string' },
  },
});
const folder = options.piece ? resolve(options.piece) : await mkdtemp(join(tmpdir(), 'gatewright-soak-'));
const routes = Number(options.routes);
const world = await openWorld(folder, routes);
const file = new SampleFile(folder);
const piece = ((await file.all()).at(-1)?.piece ?? 0) + 1;
const traffic = await Traffic.start(world.door);
const readers = new Readers(world.admin);
const changes = new Changes(world.api.client, { routes, perSecond: Number(options['per-second']) });
const began = performance.now();
const minutesSince = () => (performance.now() - began) / 60_000;
while (minutesSince() < Number(options.minutes)) {
  await file.add(await sample(world));
  await delay(everyMs);
}
await Promise.all([changes.stop(), readers.stop()]);
const { requests, wrong } = await traffic.stop();
const reports = reportsOf(await file.all());
for (const report of reports) process.stdout.write(`${JSON.stringify(report)}\n`);
process.stdout.write(`${JSON.stringify({ piece, requests, adminRequests: readers.asked })}\n`);
const grown = Object.entries(reports.at(-1)?.processes ?? {}).flatMap(
  ([
    name,
    {
      descriptors: [first, last],
    },
  ]) => (last > first + descriptorSlack ? [`${name} has ${last} descriptors open, and had ${first}`] : []),
);
const broken = [...wrong, ...readers.wrong, ...grown];
for (const one of broken) process.stderr.write(`${one}\n`);
await world.stop();
if (options.piece === undefined) await rm(folder, { recursive: true, force: true });
process.exitCode = broken.length > 0 ? 1 : 0;

async function sample({ metrics, state, processes }: World) {
  const { controlPlane, agent, envoy } = await processes();
  const [one, two, three] = await Promise.all([controlPlane, agent, envoy].map(processSample));
  if (!one || !two || !three) throw new Error('no figures');
  const rest = { ...(await loopOf(metrics)), sqliteKb: await sqliteKbOf(state), changes: changes.count };
  return { piece, minutes: minutesSince(), controlPlane: one, agent: two, envoy: three, ...rest };
}

/**
 * What the admin API costs the control plane when there is much to show: 5,000 routes and 10,000 endpoints, in one process.
 *
 *     node bench/admin/lists.ts [--routes 5000] [--turns 20]
 *
 * For each path one line of JSON: bytes, milliseconds until the whole answer is there (median and worst of the turns), CPU of one
 * answer, and how long the event loop stood still at worst meanwhile (p99 and max), which is what xDS would wait.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { startAdmin, type TestAdmin } from '../../test/support/admin.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, service } from '../../test/support/objects.ts';

const { values: options } = parseArgs({
  options: { routes: { type: 'string', default: '5000' }, turns: { type: 'string', default: '20' } },
});
const routes = Number(options.routes);
const turns = Number(options.turns);

const name = (index: number): string => `r${index}`;
const objects = [
  gatewayClass(),
  gateway('edge'),
  ...Array.from({ length: routes }, (_, index) => [
    service(name(index)),
    endpointSlice(name(index), [`10.0.${index >> 8}.${index & 255}`, `10.1.${index >> 8}.${index & 255}`]),
    httpRoute(name(index), {
      hostnames: [`${name(index)}.example.com`],
      rules: [{ backendRefs: [{ name: name(index), port: 80 }] }],
    }),
  ]).flat(),
];

const admin = await startAdmin({ protect: [], requestsPerSecond: 0 });
admin.build(...objects);
for (const path of [
  '/readyz',
  '/v1/summary',
  '/v1/snapshot-sync',
  '/v1/routes?limit=50&sort=name',
  '/v1/routes?limit=50&offset=4000',
  '/v1/backends?limit=50',
  '/v1/routes',
  '/v1/backends',
  '/v1/topology',
  '/v1/snapshot',
]) {
  console.log(JSON.stringify({ path, ...(await measured(admin, path)) }));
}
await admin.close();

async function measured(world: TestAdmin, path: string) {
  const times: number[] = [];
  let bytes = 0;
  await world.layout1(path);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  for (let turn = 0; turn < turns; turn++) {
    const began = performance.now();
    const response = await world.layout1(path);
    bytes = (await response.arrayBuffer()).byteLength;
    times.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(cpu);
  delay.disable();
  times.sort((a, b) => a - b);
  return {
    bytes,
    ms: { median: rounded(times[times.length >> 1] ?? 0), max: rounded(times.at(-1) ?? 0) },
    cpuMs: rounded((user + system) / 1_000 / turns),
    standstillMs: { p99: rounded(delay.percentile(99) / 1e6), max: rounded(delay.max / 1e6) },
  };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

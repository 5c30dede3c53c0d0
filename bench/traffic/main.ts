/**
 * What live traffic costs: a control plane in this process, one agent and its Envoy as processes of their own, and a backend that answers at once.
 *
 *     node bench/traffic/main.ts [--routes 20000] [--requests 40000] [--seconds 60] [--delays 0,120]
 *
 * Envoy has two listeners for the same routes: the one as `spec.traffic: On` makes it, the other as Off does. Both get the same requests in blocks, in an order
 * at random, so that a machine that is busy is so for both. A line of JSON for each stage, with CPU of Envoy's workers for one request, medians of all blocks: when
 * a route is new, when it comes again, at random, and where the backend takes its time: each bound of `durationBounds` that a request reaches is
 * a counter. `leastMoreUs` compares the means of the lower halves. Then Envoy's resident memory before and after its counters were made, and, while requests go on, the shares
 * of a core of Envoy's main thread, which answers the agent's reads, and of the agent, with its memory.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { durationBounds } from '../../src/contracts/index.ts';
import { kindModules } from '../../src/controllers/index.ts';
import { Graph } from '../../src/graph/index.ts';
import { TrafficStore } from '../../src/traffic/index.ts';
import { Translator } from '../../src/translate/index.ts';
import { XdsServer } from '../../src/xds/index.ts';
import { unscraped } from '../../test/support/metrics.ts';
import {
  controllerName,
  dataPlane,
  dataPlaneRef,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  service,
} from '../../test/support/objects.ts';
import { startProgram } from '../../test/support/program.ts';
import { until } from '../../test/support/until.ts';
import { put, someTime } from '../../test/support/world.ts';
import { cpuNs, residentMib, workersNs } from '../envoy-floor/process-cost.ts';
import { lowerHalf, median } from '../support/figures.ts';

const { values: options } = parseArgs({
  options: {
    routes: { type: 'string', default: '20000' },
    requests: { type: 'string', default: '40000' },
    seconds: { type: 'string', default: '60' },
    delays: { type: 'string', default: '0,120' },
  },
});
const [routes, requests, seconds] = [options.routes, options.requests, options.seconds].map(Number) as [
  number,
  number,
  number,
];
const block = 500;
/** For each delay. */
const blocks = 20;
const key = 'default/gw';

let delayMs = 0;
const stub = createServer((_, response) => {
  if (delayMs === 0) response.end();
  else setTimeout(() => response.end(), delayMs);
}).listen(0, '127.0.0.1');
// Envoy may be about to use a connection that would be closed for having been idle.
stub.keepAliveTimeout = 0;
await new Promise((resolve) => stub.once('listening', resolve));
const stubPort = (stub.address() as AddressInfo).port;

type Traffic = 'Off' | 'On';

const world = await start();
try {
  await measure(world);
} finally {
  await world.end();
  stub.closeAllConnections();
  stub.close();
}
process.exit();

async function start() {
  const ports = { Off: await freePort(), On: await freePort() };
  const graph = build(ports);
  const translator = new Translator();
  const server = new XdsServer({ logger: pino({ level: 'silent' }), metrics: unscraped() });
  const store = new TrafficStore({ graph });
  server.agentServices.serveTraffic(store);
  const xdsPort = await server.listen('127.0.0.1:0');
  const built = () => {
    const { snapshot, changes } = graph.build(someTime);
    return { snapshot, changes: [...translator.translate(snapshot, changes)] };
  };
  const { snapshot, changes } = built();
  put(graph, dataPlane('edge', { traffic: 'Off' }));
  const switchedOff = built().changes.flatMap(({ upserts }) => upserts);
  const uncounted = switchedOff.filter(({ name }) => name === `http/${ports.Off}`);
  const { id, generatedAt, counts } = snapshot;
  server.publish({
    marker: { id, generatedAt, ...counts },
    changes: [...changes, { gateway: key, upserts: uncounted, removals: [] }],
    digests: new Map([[key, id]]),
  });
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-bench-'));
  const adminPort = await freePort();
  const configFile = join(folder, 'config.yaml');
  await writeFile(
    configFile,
    JSON.stringify({
      log: { level: 'error' },
      dataplane: {
        cluster: key,
        xdsAddress: `127.0.0.1:${xdsPort}`,
        adminListen: `127.0.0.1:${adminPort}`,
        adminAuth: { bearerToken: 'bench' },
      },
    }),
  );
  const environment = { SVC_GW_NODE_ID: 'agent', NODE_OPTIONS: '--max-semi-space-size=1', MALLOC_ARENA_MAX: '1' };
  const program = startProgram(['data-plane', '--config', configFile], environment);
  await until('the snapshot to be applied', () => server.nodes.find('agent')?.lastAckVersion === id, 600_000);
  return {
    ports,
    store,
    ...(await pids(adminPort)),
    end: async () => {
      program.kill('SIGTERM');
      await program.ended;
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function measure({ ports, store, envoy, agent }: Awaited<ReturnType<typeof start>>): Promise<void> {
  await sleep(5000);
  const each = (at: number) => at;
  const random = () => Math.floor(Math.random() * routes);
  await send(ports.Off, routes, each);
  const uncounted = residentMib(envoy);
  const stage = async (
    what: string,
    count: number,
    routeOf: (at: number) => number,
    connections = 8,
  ): Promise<void> => {
    const us: Record<Traffic, number[]> = { Off: [], On: [] };
    for (let from = 0; from < count; from += block)
      for (const traffic of Math.random() < 0.5 ? (['Off', 'On'] as const) : (['On', 'Off'] as const)) {
        const before = workersNs(envoy);
        await send(ports[traffic], block, (at) => routeOf(from + at) % routes, connections);
        us[traffic].push((workersNs(envoy) - before) / 1000 / block);
      }
    const more = us.On.map((value, at) => value - (us.Off[at] ?? 0));
    const leastMoreUs = lowerHalf(us.On) - lowerHalf(us.Off);
    print({ what, requests: count, offUs: median(us.Off), onUs: median(us.On), moreUs: median(more), leastMoreUs });
  };
  await stage('each route for the first time', routes, each);
  await stage('each route again', routes, each);
  await stage('routes at random', requests, random);
  for (const delay of options.delays.split(',').map(Number)) {
    delayMs = delay;
    const counters = durationBounds.filter((bound) => bound <= delay).length;
    // Many at once, or one block would take minutes.
    await stage(`answers after ${delay} ms, ${counters} counters of durations`, block * blocks, random, 100);
  }
  delayMs = 0;
  print({ what: 'Envoy', uncountedMib: uncounted, countedMib: residentMib(envoy) });
  const [agentBefore, mainBefore, began] = [cpuNs(agent), mainNs(envoy), performance.now()];
  while (performance.now() - began < seconds * 1000) await send(ports.On, block, random);
  const elapsedMs = performance.now() - began;
  const percent = (ns: number) => (ns / 1e6 / elapsedMs) * 100;
  print({
    what: 'while requests go on',
    mainCorePercent: percent(mainNs(envoy) - mainBefore),
    agentCorePercent: percent(cpuNs(agent) - agentBefore),
    agentMib: residentMib(agent),
    storeMib: store.bytes / 2 ** 20,
  });
}

function print(figures: Readonly<Record<string, string | number>>): void {
  const rounded = Object.entries(figures).map(([name, value]) => [
    name,
    typeof value === 'number' ? Number(value.toFixed(2)) : value,
  ]);
  console.log(JSON.stringify(Object.fromEntries(rounded)));
}

function build(ports: Readonly<Record<Traffic, number>>): Graph {
  const bind = (_: unknown, listened: number) => ({ address: '127.0.0.1', port: listened });
  const graph = new Graph({ controllerName, kinds: kindModules, bind });
  const infrastructure = { parametersRef: dataPlaneRef('edge') };
  const listeners = [
    { name: 'counted', port: ports.On },
    { name: 'uncounted', port: ports.Off },
  ];
  put(graph, gatewayClass(), dataPlane('edge', { traffic: 'On' }), gateway('gw', listeners, { infrastructure }));
  put(graph, service('web'), endpointSlice('web', ['127.0.0.1'], { port: stubPort }));
  for (let at = 0; at < routes; at += 1)
    put(graph, httpRoute(`r${at}`, { parentRefs: [{ name: 'gw' }], hostnames: [`h${at}.test`] }));
  return graph;
}

/** Envoy's main thread answers the agent's reads. */
function mainNs(envoy: number): number {
  return cpuNs(envoy) - workersNs(envoy);
}

/** The agent is the parent of its Envoy. */
async function pids(adminPort: number): Promise<{ readonly envoy: number; readonly agent: number }> {
  const headers = { authorization: 'Bearer bench' };
  const answer = await fetch(`http://127.0.0.1:${adminPort}/api/v1/status`, { headers });
  const { envoy } = (await answer.json()) as { envoy: { pid: number } };
  const stat = readFileSync(`/proc/${envoy.pid}/stat`, 'utf8');
  return { envoy: envoy.pid, agent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) };
}

async function send(port: number, count: number, routeOf: (at: number) => number, connections = 8): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let next = 0;
  const one = (host: string) =>
    new Promise<void>((resolve, reject) => {
      request({ host: '127.0.0.1', port, headers: { host }, agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${host}: ${response.statusCode}`));
        response.resume();
        response.once('end', resolve);
      })
        .once('error', reject)
        .end();
    });
  const sender = async () => {
    for (let at = next++; at < count; at = next++) await one(`h${routeOf(at)}.test:${port}`);
  };
  await Promise.all(Array.from({ length: connections }, sender));
  agent.destroy();
}

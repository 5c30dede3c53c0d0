/**
 * What live traffic costs: a control plane in this process, one agent and its Envoy as processes of their own, and a backend that answers at once.
 *
 *     node bench/traffic/main.ts [--routes 20000] [--requests 40000] [--seconds 60] [--turns 1]
 *
 * For `spec.traffic` Off and On, in turns, one line of JSON: Envoy's resident memory before requests and after one to each route; CPU of Envoy's workers for one
 * request at random, while each worker meets routes for the first time and once it has met all; and, while requests go on, the shares of a core of Envoy's main
 * thread, which answers the agent's reads, and of the agent, with its memory.
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
import { kindModules } from '../../src/controllers/index.ts';
import { Graph } from '../../src/graph/index.ts';
import * as ir from '../../src/ir/index.ts';
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

const { values: options } = parseArgs({
  options: {
    routes: { type: 'string', default: '20000' },
    requests: { type: 'string', default: '40000' },
    seconds: { type: 'string', default: '60' },
    turns: { type: 'string', default: '1' },
  },
});
const [routes, requests, seconds, turns] = [options.routes, options.requests, options.seconds, options.turns].map(
  Number,
) as [number, number, number, number];
/** Then a worker of two has met all but one in e⁴ of the routes. */
const warmUp = 8 * routes;
const key = 'default/gw';
const round = (value: number, digits = 2) => Number(value.toFixed(digits));

const stub = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
await new Promise((resolve) => stub.once('listening', resolve));
const stubPort = (stub.address() as AddressInfo).port;

for (let turn = 0; turn < turns; turn += 1) for (const traffic of ['Off', 'On'] as const) await measure(traffic);
stub.closeAllConnections();
stub.close();
process.exit();

async function measure(traffic: 'On' | 'Off'): Promise<void> {
  const port = await freePort();
  const { graph, snapshot } = build(port, traffic);
  const server = new XdsServer({ logger: pino({ level: 'silent' }), metrics: unscraped() });
  const store = new TrafficStore({ graph });
  server.agentServices.serveTraffic(store);
  const xdsPort = await server.listen('127.0.0.1:0');
  const changes = [...new Translator().translate(snapshot, ir.allChanges(snapshot))];
  const { id, generatedAt, counts } = snapshot;
  server.publish({ marker: { id, generatedAt, ...counts }, changes, digests: new Map([[key, id]]) });
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
  try {
    await until('the snapshot to be applied', () => server.nodes.find('agent')?.lastAckVersion === id, 600_000);
    const { envoy, agent } = await pids(adminPort);
    await sleep(5000);
    const atStart = residentMib(envoy);
    await send(port, routes, (at) => at);
    const afterEach = residentMib(envoy);
    const firstUs = await requestUs(port, envoy, requests);
    await requestUs(port, envoy, warmUp - requests);
    const laterUs = await requestUs(port, envoy, requests);
    const [agentBefore, mainBefore] = [cpuNs(agent), mainNs(envoy)];
    const began = performance.now();
    while (performance.now() - began < seconds * 1000) await send(port, 500, () => Math.floor(Math.random() * routes));
    const elapsed = (performance.now() - began) / 1000;
    const percent = (ns: number) => round((ns / 1e9 / elapsed) * 100);
    console.log(
      JSON.stringify({
        traffic,
        routes,
        envoyMib: { atStart: round(atStart, 1), afterEach: round(afterEach, 1), atEnd: round(residentMib(envoy), 1) },
        envoyRequestUs: { first: round(firstUs, 1), later: round(laterUs, 1) },
        envoyMainCorePercent: percent(mainNs(envoy) - mainBefore),
        agentCorePercent: percent(cpuNs(agent) - agentBefore),
        agentMib: round(residentMib(agent), 0),
        storeMib: round(store.bytes / 2 ** 20, 1),
      }),
    );
  } finally {
    program.kill('SIGTERM');
    await program.ended;
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function build(port: number, traffic: 'On' | 'Off') {
  const bind = (_: unknown, listened: number) => ({ address: '127.0.0.1', port: listened });
  const graph = new Graph({ controllerName, kinds: kindModules, bind });
  const infrastructure = { parametersRef: dataPlaneRef('edge') };
  put(graph, gatewayClass(), dataPlane('edge', { traffic }), gateway('gw', [{ port }], { infrastructure }));
  put(graph, service('web'), endpointSlice('web', ['127.0.0.1'], { port: stubPort }));
  for (let at = 0; at < routes; at += 1)
    put(graph, httpRoute(`r${at}`, { parentRefs: [{ name: 'gw' }], hostnames: [`h${at}.test`] }));
  return { graph, snapshot: graph.build(someTime).snapshot };
}

/** Envoy's main thread answers the agent's reads. */
function mainNs(envoy: number): number {
  return cpuNs(envoy) - workersNs(envoy);
}

/** Microseconds of Envoy's workers for one request to a route at random. */
async function requestUs(port: number, envoy: number, count: number): Promise<number> {
  const before = workersNs(envoy);
  await send(port, count, () => Math.floor(Math.random() * routes));
  return (workersNs(envoy) - before) / 1000 / count;
}

/** The agent is the parent of its Envoy. */
async function pids(adminPort: number): Promise<{ readonly envoy: number; readonly agent: number }> {
  const headers = { authorization: 'Bearer bench' };
  const answer = await fetch(`http://127.0.0.1:${adminPort}/api/v1/status`, { headers });
  const { envoy } = (await answer.json()) as { envoy: { pid: number } };
  const stat = readFileSync(`/proc/${envoy.pid}/stat`, 'utf8');
  return { envoy: envoy.pid, agent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) };
}

async function send(port: number, count: number, routeOf: (at: number) => number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
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
  await Promise.all(Array.from({ length: 8 }, sender));
  agent.destroy();
}

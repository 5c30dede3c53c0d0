/**
 * What live traffic costs: a control plane in this process, one agent and its Envoy as processes of their own, and a backend that answers at once.
 *
 *     node bench/traffic/main.ts [--routes 20000] [--requests 40000] [--seconds 60] [--turns 3]
 *
 * One Envoy is switched by `spec.traffic` between Off and On, in turns, so that both are measured in the same process and on the same machine. One line of JSON
 * each: Envoy's resident memory before requests and after them; CPU of Envoy's workers for one request, when no route has had any since the switch, while each
 * worker meets routes for the first time, and once it has met all; and, while requests go on, the shares of a core of Envoy's main thread, which answers the
 * agent's reads, and of the agent, with its memory. The last line has the medians of all turns, and what On costs more.
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
import { median } from '../support/figures.ts';

const { values: options } = parseArgs({
  options: {
    routes: { type: 'string', default: '20000' },
    requests: { type: 'string', default: '40000' },
    seconds: { type: 'string', default: '60' },
    turns: { type: 'string', default: '3' },
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

interface Figures {
  readonly envoyMib: number;
  readonly newUs: number;
  readonly firstUs: number;
  readonly laterUs: number;
  readonly mainCorePercent: number;
  readonly agentCorePercent: number;
  readonly agentMib: number;
}

const world = await start();
try {
  const all: Readonly<Record<'On' | 'Off', Figures[]>> = { Off: [], On: [] };
  for (let turn = 0; turn < turns; turn += 1)
    for (const traffic of ['Off', 'On'] as const) {
      await world.switchTo(traffic);
      const figures = await measure(world);
      all[traffic].push(figures);
      console.log(JSON.stringify({ turn, traffic, routes, ...figures }));
    }
  const [off, on] = [mediansOf(all.Off), mediansOf(all.On)];
  const more = mapped(on, (value, name) => value - off[name]);
  console.log(JSON.stringify({ off, on, more, storeMib: round(world.store.bytes / 2 ** 20, 1) }));
} finally {
  await world.end();
  stub.closeAllConnections();
  stub.close();
}
process.exit();

async function start() {
  const port = await freePort();
  const graph = build(port);
  const translator = new Translator();
  const server = new XdsServer({ logger: pino({ level: 'silent' }), metrics: unscraped() });
  const store = new TrafficStore({ graph });
  server.agentServices.serveTraffic(store);
  const xdsPort = await server.listen('127.0.0.1:0');
  const publish = (): string => {
    const { snapshot, changes } = graph.build(someTime);
    const { id, generatedAt, counts } = snapshot;
    const marker = { id, generatedAt, ...counts };
    server.publish({ marker, changes: [...translator.translate(snapshot, changes)], digests: new Map([[key, id]]) });
    return id;
  };
  const applied = (id: string) =>
    until('the snapshot to be applied', () => server.nodes.find('agent')?.lastAckVersion === id, 600_000);
  const first = publish();
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
  await applied(first);
  return {
    port,
    store,
    ...(await pids(adminPort)),
    switchTo: async (traffic: 'On' | 'Off') => {
      put(graph, dataPlane('edge', { traffic }));
      await applied(publish());
      // Connections of the listener before are drained.
      await sleep(5000);
    },
    end: async () => {
      program.kill('SIGTERM');
      await program.ended;
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function measure({ port, envoy, agent }: Awaited<ReturnType<typeof start>>): Promise<Figures> {
  const usOf = async (count: number, routeOf: (at: number) => number): Promise<number> => {
    const before = workersNs(envoy);
    await send(port, count, routeOf);
    return round((workersNs(envoy) - before) / 1000 / count);
  };
  const random = () => Math.floor(Math.random() * routes);
  const newUs = await usOf(routes, (at) => at);
  const firstUs = await usOf(requests, random);
  await send(port, warmUp - requests, random);
  const laterUs = await usOf(requests, random);
  const [agentBefore, mainBefore, began] = [cpuNs(agent), mainNs(envoy), performance.now()];
  while (performance.now() - began < seconds * 1000) await send(port, 500, random);
  const elapsedMs = performance.now() - began;
  const percent = (ns: number) => round((ns / 1e6 / elapsedMs) * 100);
  return {
    envoyMib: round(residentMib(envoy), 1),
    newUs,
    firstUs,
    laterUs,
    mainCorePercent: percent(mainNs(envoy) - mainBefore),
    agentCorePercent: percent(cpuNs(agent) - agentBefore),
    agentMib: round(residentMib(agent), 0),
  };
}

function mediansOf(turns: readonly Figures[]): Figures {
  const [some] = turns as [Figures];
  return mapped(some, (_, name) => median(turns.map((figures) => figures[name])));
}

function mapped(figures: Figures, to: (value: number, name: keyof Figures) => number): Figures {
  const entries = Object.entries(figures) as [keyof Figures, number][];
  return Object.fromEntries(entries.map(([name, value]) => [name, round(to(value, name))])) as unknown as Figures;
}

function build(port: number): Graph {
  const bind = (_: unknown, listened: number) => ({ address: '127.0.0.1', port: listened });
  const graph = new Graph({ controllerName, kinds: kindModules, bind });
  const infrastructure = { parametersRef: dataPlaneRef('edge') };
  put(graph, gatewayClass(), dataPlane('edge', { traffic: 'Off' }), gateway('gw', [{ port }], { infrastructure }));
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

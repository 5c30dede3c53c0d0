/**
 * What the agent costs: a control plane in this process, one agent and its Envoy as processes of their own.
 *
 *     node bench/agent/main.ts [--endpoints 10000] [--turns 20] [--changes 200] [--program build/app/bin/gatewright.js]
 *
 * `--program`: the agent as images have it, bundled by scripts/bundle.ts; without it, from the sources, which takes far more memory.
 *
 * One line of JSON for each of its paths that are asked regularly (bytes, milliseconds until the whole answer is there, CPU of the agent for one answer, and the
 * share of a core that is when it is asked every 15 seconds), for the agent alone (CPU at rest, resident memory, the most there was), for
 * the relay (CPU for a MiB that is pushed through it), and for what it adds to a change's way: milliseconds from the push to Envoy's ACK,
 * through the agent and to an Envoy that is connected directly.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type { EnvoyResource } from '../../src/translate/index.ts';
import { XdsServer } from '../../src/xds/index.ts';
import { cluster, endpointsOf, httpListener, routes } from '../../test/support/agent-resources.ts';
import { startEnvoy, xdsBootstrap } from '../../test/support/envoy.ts';
import { unscraped } from '../../test/support/metrics.ts';
import { startProgram } from '../../test/support/program.ts';
import { until } from '../../test/support/until.ts';
import { cpuNs, quantile, residentMib } from '../envoy-floor/process-cost.ts';

const { values: options } = parseArgs({
  options: {
    endpoints: { type: 'string', default: '10000' },
    turns: { type: 'string', default: '20' },
    changes: { type: 'string', default: '200' },
    program: { type: 'string' },
  },
});
const [endpointCount, turns, changes] = [options.endpoints, options.turns, options.changes].map(Number) as [
  number,
  number,
  number,
];
const perCluster = 10;
const clusters = Array.from({ length: Math.ceil(endpointCount / perCluster) }, (_, at) => `shop/backend-${at}/8080`);
const gateway = 'bench/edge';
/** Of a scrape. */
const periodMs = 15_000;

const print = (figures: object) => console.log(JSON.stringify(figures));
const round = (value: number, digits = 2) => Number(value.toFixed(digits));

/** A control plane that reports how long each change took. */
class Control {
  readonly ackMs: number[] = [];
  pushedBytes = 0;
  port = 0;
  readonly server = new XdsServer({
    logger: pino({ level: 'silent' }),
    metrics: {
      ...unscraped(),
      pushed: ({ bytes }) => {
        this.pushedBytes += bytes;
      },
      answered: ({ typeUrl, ms }) => {
        if (typeUrl === typeUrls.endpoint) this.ackMs.push(ms);
      },
    },
  });
  #builds = 0;

  publish(upserts: readonly EnvoyResource[]): string {
    this.#builds += 1;
    const id = `s${this.#builds}`;
    this.server.publish({
      marker: { id, generatedAt: new Date(), gateways: 1, listeners: 1, routes: 1, backends: clusters.length },
      changes: [{ gateway, upserts: [...upserts], removals: [] }],
      digests: new Map([[gateway, id]]),
    });
    return id;
  }

  untilApplied(node: string, id: string): Promise<unknown> {
    const applied = () => this.server.nodes.find(node)?.lastAckVersion === id || undefined;
    return until(`${node} to have ${id}`, applied, 600_000);
  }
}

const address = (index: number, turn: number) => `10.${turn % 200}.${index >> 8}.${index & 255}`;

/** Ten endpoints, others in each turn. */
const endpointsIn = (turn: number) => (name: string, at: number) =>
  endpointsOf(
    name,
    Array.from({ length: perCluster }, (_, index) => ({ address: address(at * perCluster + index, turn), port: 8080 })),
  );

const control = new Control();
control.port = await control.server.listen('127.0.0.1:0');
const listenerPort = await freePort();
const listener = httpListener(listenerPort);
const everything = [
  listener,
  routes(listener.name, 'shop/backend-0/8080'),
  ...clusters.map((name) => cluster(name)),
  ...clusters.map(endpointsIn(0)),
];
const folder = await mkdtemp(join(tmpdir(), 'gatewright-bench-'));
const adminPort = await freePort();
const token = 'token-of-the-bench';
const config = {
  log: { level: 'error' },
  dataplane: {
    cluster: gateway,
    xdsAddress: `127.0.0.1:${control.port}`,
    adminListen: `127.0.0.1:${adminPort}`,
    adminAuth: { bearerToken: token },
    cache: { directory: join(folder, 'cache') },
  },
};
const configFile = join(folder, 'config.yaml');
await writeFile(configFile, JSON.stringify(config));
const first = control.publish(everything);
/** What pods have; see src/infrastructure/deployment.ts. */
const asInPods = { NODE_OPTIONS: '--max-semi-space-size=1', MALLOC_ARENA_MAX: '1' };
const environment = { SVC_GW_NODE_ID: 'agent', ...asInPods };
const program = startProgram(['data-plane', '--config', configFile], environment, {
  ...(options.program !== undefined && { file: options.program }),
});
try {
  await control.untilApplied('agent', first);
  const pid = await agentPid();
  await measureRest(pid);
  await measureAnswers(pid);
  await measureRelay(pid);
  print({ what: 'memory', residentMib: round(residentMib(pid), 0), mostMib: round(mostMib(pid), 0) });
  await measureLatency();
} finally {
  program.kill('SIGTERM');
  await program.ended;
  await control.server.close();
  await rm(folder, { recursive: true, force: true });
}

/** The agent is the parent of its Envoy. */
async function agentPid(): Promise<number> {
  const status = JSON.parse(await get('/api/v1/status')) as { envoy: { pid: number } };
  const stat = readFileSync(`/proc/${status.envoy.pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function mostMib(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

async function get(path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${adminPort}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.text();
}

async function measureRest(pid: number): Promise<void> {
  // Until it has put away what the first configuration left behind.
  await sleep(30_000);
  const seconds = 30;
  const before = cpuNs(pid);
  await sleep(seconds * 1000);
  const share = (cpuNs(pid) - before) / 1e9 / seconds;
  print({
    what: 'at rest',
    endpoints: endpointCount,
    corePercent: round(share * 100),
    residentMib: round(residentMib(pid), 0),
  });
}

async function measureAnswers(pid: number): Promise<void> {
  for (const path of [
    '/api/v1/metrics',
    '/api/v1/stats',
    '/api/v1/stats/backends',
    '/api/v1/stats/connections',
    '/readyz',
  ]) {
    const times: number[] = [];
    let bytes = 0;
    await get(path);
    const before = cpuNs(pid);
    for (let turn = 0; turn < turns; turn += 1) {
      const began = performance.now();
      bytes = Buffer.byteLength(await get(path));
      times.push(performance.now() - began);
    }
    const cpuMs = (cpuNs(pid) - before) / 1e6 / turns;
    const corePercent = round((cpuMs / periodMs) * 100);
    const ms = { p50: round(quantile(times, 0.5)), max: round(Math.max(...times)) };
    print({ path, bytes, ms, cpuMs: round(cpuMs), corePercent, residentMib: round(residentMib(pid), 0) });
  }
}

/** All endpoints are others, several times. */
async function measureRelay(pid: number): Promise<void> {
  const rounds = 10;
  const [before, bytesBefore] = [cpuNs(pid), control.pushedBytes];
  for (let turn = 1; turn <= rounds; turn += 1) {
    await control.untilApplied('agent', control.publish(clusters.map(endpointsIn(turn))));
  }
  const mib = (control.pushedBytes - bytesBefore) / 1024 / 1024;
  const cpuMs = (cpuNs(pid) - before) / 1e6;
  print({ what: 'relay', mib: round(mib), cpuMsPerMib: round(cpuMs / mib), note: 'keeping it on disk included' });
}

/** One backend's endpoints change, over and over. */
async function measureLatency(): Promise<void> {
  const series = async (node: string) => {
    control.ackMs.length = 0;
    for (let turn = 0; turn < changes; turn += 1) {
      await control.untilApplied(node, control.publish([endpointsIn(turn + 50)('shop/backend-0/8080', 0)]));
    }
    const times = control.ackMs.slice();
    return { p50: round(quantile(times, 0.5)), p95: round(quantile(times, 0.95)) };
  };
  const throughAgentMs = await series('agent');
  program.kill('SIGTERM');
  await program.ended;
  const bootstrap = xdsBootstrap({ xds: control.port, nodeId: 'direct', cluster: gateway });
  const direct = await startEnvoy({ bootstrap });
  try {
    await until('the direct Envoy', () => control.server.nodes.find('direct')?.lastAckVersion !== undefined, 600_000);
    print({ what: 'from push to ACK', throughAgentMs, directMs: await series('direct') });
  } finally {
    await direct.stop();
  }
}

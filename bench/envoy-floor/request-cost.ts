import { typeUrls } from '../../src/envoy/index.ts';
import { BurstClient } from './client.ts';
import { cpuNs, quantile } from './process-cost.ts';
import { deliver, exactScope, lastChanged, sendEverything, wideHost } from './resources.ts';
import { withEnvoy } from './rig.ts';

interface Case {
  readonly name: string;
  readonly host: string;
  readonly path: string;
}

const rounds = 60;
const burst = 200;

/** Envoy's CPU time for one request, by the way it finds its route. The least of many short bursts: other work only adds. */
export async function measureRequests(): Promise<void> {
  await withEnvoy(deliver('rds', ['exact.test']).initial, (rig) =>
    compare(rig.envoy.pid, rig.port, [{ name: 'RDS', host: 'exact.test', path: '/a' }]),
  );
  await withEnvoy(deliver('srds', ['exact.test']).initial, (rig) =>
    compare(rig.envoy.pid, rig.port, [
      { name: 'exact scope', host: 'exact.test', path: '/a' },
      { name: 'exact scope, Host in upper case', host: 'EXACT.test', path: '/a' },
      { name: 'exact scope, Host with a port', host: 'exact.test:80', path: '/a' },
      { name: 'fallback scope', host: 'any.wild.test', path: '/a' },
      { name: 'no route', host: 'unknown.test', path: '/a' },
    ]),
  );
}

/** What many routes under one host cost: for each request, and for a change of one of them. */
export async function measureWideHosts(counts: readonly number[] = [1, 100, 1000, 5000]): Promise<void> {
  const hosts = counts.map((count) => wideHost(`h${count}.test`, count));
  const resources = sendEverything([], hosts);
  const initial = [typeUrls.listener, typeUrls.scopedRoute, typeUrls.extension].map((typeUrl) => ({
    typeUrl,
    resources: resources.filter((resource) => resource.typeUrl === typeUrl),
  }));
  await withEnvoy(initial, async ({ ads, envoy, port }) => {
    await compare(
      envoy.pid,
      port,
      counts.map((count) => ({
        name: `last of ${count} routes`,
        host: `h${count}.test`,
        path: `/app${count - 1}/api`,
      })),
    );
    for (const host of hosts) {
      const cpuMs: number[] = [];
      let last = host;
      for (let change = 1; change <= 12; change += 1) {
        const after = lastChanged(last, change);
        const scopes = exactScope(after, last);
        last = after;
        const before = cpuNs(envoy.pid);
        await ads.send(typeUrls.scopedRoute, scopes);
        await new Promise((resolve) => setTimeout(resolve, 50));
        cpuMs.push((cpuNs(envoy.pid) - before) / 1e6);
      }
      const figures = { changeOneOf: host.routes.length, bytes: ads.lastBytes, cpuMsMin: Math.min(...cpuMs) };
      console.log(JSON.stringify(figures));
    }
  });
}

async function compare(pid: number, port: number, cases: readonly Case[]): Promise<void> {
  const client = await BurstClient.open(port);
  const costs = cases.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { host, path }] of cases.entries()) {
      const before = cpuNs(pid);
      await client.burst(host, path, burst);
      costs[index]?.push((cpuNs(pid) - before) / 1e3 / burst);
    }
  }
  client.close();
  for (const [index, { name }] of cases.entries()) {
    const spent = costs[index] ?? [];
    console.log(
      JSON.stringify({ name, cpuUsMin: Math.min(...spent).toFixed(2), cpuUsP50: quantile(spent, 0.5).toFixed(2) }),
    );
  }
}

/**
 * What sticky sessions cost: Envoy's CPU time for one request, by what the client sends, beside a route without sessions; the least and the median of many
 * short bursts. No arguments.
 */

import type * as ir from '../../src/ir/index.ts';
import { SessionClient, SessionWorld } from '../../test/support/session-world.ts';
import { BurstClient } from '../envoy-floor/client.ts';
import { cpuNs, quantile } from '../envoy-floor/process-cost.ts';

const rounds = 60;
const burst = 200;

await measureRequests();

async function measureRequests(): Promise<void> {
  const ends: (() => unknown)[] = [];
  const world = new SessionWorld({ teardown: (end) => void ends.unshift(end) }, byCookie());
  try {
    await world.add('a', 'b', 'c');
    const agent = await world.start();
    const client = new SessionClient(world);
    await client.ask();
    await compare(world.replicas[0]?.port ?? 0, agent.envoyPid ?? 0, [
      { name: 'a route without sessions', path: '/plain', headers: '' },
      { name: 'no token', path: '/', headers: '' },
      { name: 'a token', path: '/', headers: `cookie: s=${client.token}\r\n` },
      { name: 'a token that is made up', path: '/', headers: `cookie: s=${'A'.repeat(22)}\r\n` },
    ]);
  } finally {
    for (const end of ends) await end();
  }
}

function byCookie(): ir.Session {
  return { kind: 'cookie', scope: 'web', name: 's', path: '/', permanent: false, secure: false };
}

interface Case {
  readonly name: string;
  readonly path: string;
  readonly headers: string;
}

async function compare(port: number, pid: number, cases: readonly Case[]): Promise<void> {
  const client = await BurstClient.open(port);
  const costs = cases.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { path, headers }] of cases.entries()) {
      const before = cpuNs(pid);
      await client.burst(`h.test:${port}`, path, burst, headers);
      costs[index]?.push((cpuNs(pid) - before) / 1e3 / burst);
    }
  }
  client.close();
  for (const [index, { name }] of cases.entries()) {
    const spent = costs[index] ?? [];
    const figures = { cpuUsMin: Math.min(...spent).toFixed(1), cpuUsP50: quantile(spent, 0.5).toFixed(1) };
    console.log(JSON.stringify({ name, ...figures }));
  }
}

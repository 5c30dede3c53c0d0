/**
 * Gatewright and Envoy Gateway, in turns in one run: same machine, same API server, same Envoy, no kubelet and no controllers.
 *
 *     npm run bench -- peer [--quick] [--loads 0,1000,5000] [--turns 3] [--probes 30] [--flips 100] [--subjects gatewright,envoy-gateway]
 *
 * `--subjects` also knows `envoy-gateway-fast`, which may ask the API server a hundred times faster than by default. Figures as JSON and
 * as a table with ratios, in bench/results/. Builds Envoy Gateway from its Go module the first time. Needs Linux and root (for a network
 * and a folder of its own), util-linux and iproute2. `--quick`: one turn each with 0 and 1,000 routes.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, versions } from '../../scripts/paths.mjs';
import { ensureEnvoyGateway } from '../../scripts/setup/envoy-gateway.mjs';
import { inOwnNetwork } from '../host/own-network.ts';
import { EnvoyGateway } from './envoy-gateway.ts';
import { Gatewright } from './gatewright.ts';
import type { Subject } from './subject.ts';
import { markdownTable, plot, rowsOf } from './table.ts';
import { type Figures, takeTurn } from './turn.ts';
import { World } from './world.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    loads: { type: 'string' },
    turns: { type: 'string' },
    probes: { type: 'string', default: '30' },
    flips: { type: 'string', default: '100' },
    subjects: { type: 'string', default: 'gatewright,envoy-gateway' },
  },
});
const loads = (options.loads ?? (options.quick ? '0,1000' : '0,1000,5000')).split(',').map(Number);
const turns = Number(options.turns ?? (options.quick ? 1 : 3));
const names = options.subjects.split(',');

// Before the network is our own: building fetches.
const peer = names.some((name) => name !== 'gatewright') ? await ensureEnvoyGateway() : undefined;
inOwnNetwork({ folder: '/certs' });

await using world = await World.open(peer?.definitions);
const subjects: Subject[] = [];
for (const name of names) subjects.push(await subjectOf(name));
const figures = new Map<Subject, Figures[]>(subjects.map((subject) => [subject, []]));
for (let turn = 1; turn <= turns; turn += 1) {
  for (const subject of subjects) {
    const one = await takeTurn(world, subject, {
      loads,
      probes: Number(options.probes),
      flips: Number(options.flips),
      idleMs: 10_000,
    });
    figures.get(subject)?.push(one);
    console.log(JSON.stringify({ turn, subject: subject.name, ...Object.fromEntries(one) }));
  }
}
for (const { probe } of subjects) probe.close();

const all = subjects.map((subject) => ({ subject: subject.name, turns: figures.get(subject) ?? [] }));
const rows = rowsOf(all);
const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`;
const builds = `Envoy ${versions.ENVOY}, Kubernetes ${versions.KUBERNETES}, ${subjects.map(({ name, version }) => `${name} ${version}`).join(', ')}`;
const about = `${new Date().toISOString().slice(0, 10)}, ${machine}; ${builds}; ${turns} turn(s) each: median (least–greatest).`;
const table = markdownTable(
  rows,
  subjects.map(({ name }) => name),
);
const plotted = plot(rows, 'new route: written → 200, ms, median');
const results = join(root, 'bench/results');
await mkdir(results, { recursive: true });
await writeFile(join(results, 'peer.json'), `${JSON.stringify({ about, rows }, null, 2)}\n`);
await writeFile(join(results, 'peer.md'), `# Side by side\n\n${about}\n\n${table}\n\n${plotted}\n`);
console.log(`${about}\n\n${table}`);

async function subjectOf(name: string): Promise<Subject> {
  if (name === 'gatewright') return await Gatewright.prepare(world);
  if (!peer) throw new Error('unreachable');
  if (name === 'envoy-gateway') return await EnvoyGateway.prepare(world, peer);
  if (name === 'envoy-gateway-fast') return await EnvoyGateway.prepare(world, peer, { qps: 5000, burst: 10_000 });
  throw new Error(`--subjects: no ${name}; there are gatewright, envoy-gateway and envoy-gateway-fast`);
}

/**
 * What Node itself takes: the floors under starts, memory and rest of our processes.
 *
 *     npm run bench -- node-floor [--turns 3] [--after 60] [--seconds 60]
 *
 * Programs of a few lines run beside our control plane and agent, with the flags of the manifests, over one real API server: one that waits, one
 * with the libraries of our servers, and one that renews a Lease and holds our watches. CPU of the start in ms; then, `--after` seconds later,
 * resident memory in MB, and CPU in millionths of a core and wakes a second over `--seconds`. Prints each turn and medians. Needs what `peer` needs.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build, stop } from 'esbuild';
import { kindsRead } from '../../src/gateway-api/index.ts';
import { resourcePath } from '../../src/kube/index.ts';
import { until } from '../../test/support/until.ts';
import { inOwnNetwork } from '../host/own-network.ts';
import { processOptions } from '../host/program.ts';
import { takenWithin } from '../idle/taken.ts';
import { Gatewright } from '../peer/gatewright.ts';
import { users, World } from '../peer/world.ts';
import { endChild, hasEnded, pidOf, startChild } from '../support/children.ts';
import { median } from '../support/figures.ts';
import { processesOf } from '../support/processes.ts';

const { values: options } = parseArgs({
  options: {
    turns: { type: 'string', default: '3' },
    after: { type: 'string', default: '60' },
    seconds: { type: 'string', default: '60' },
  },
});
const seconds = Number(options.seconds);
const programs = ['waits', 'libraries', 'watches'] as const;

inOwnNetwork();
await using world = await World.open();
const folder = await mkdtemp(join(tmpdir(), 'gatewright-floor-'));
const entries = programs.map((name) => join(import.meta.dirname, `programs/${name}.ts`));
const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;
await build({
  entryPoints: entries,
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minifyWhitespace: true,
  minifySyntax: true,
  banner: { js: banner },
});
await stop();
const env = { ...(await processOptions()), ...(await watchedHere()) };
const subject = await Gatewright.prepare(world);
const all = new Map<string, Record<string, number>[]>();
for (let turn = 1; turn <= Number(options.turns); turn += 1)
  for (const [what, figures] of await takeTurn(turn)) {
    console.log(JSON.stringify({ turn, what, ...figures }));
    all.set(what, [...(all.get(what) ?? []), figures]);
  }
for (const [what, turns] of all) {
  const keys = Object.keys(turns[0] ?? {});
  const medians = Object.fromEntries(keys.map((key) => [key, median(turns.map((one) => one[key] ?? Number.NaN))]));
  console.log(JSON.stringify({ what, ...medians }));
}
subject.probe.close();
await rm(folder, { recursive: true });

/** Starts all, one after the other, and measures them side by side: none does much. */
async function takeTurn(turn: number): Promise<readonly (readonly [string, Record<string, number>])[]> {
  const floors = [];
  for (const name of programs) floors.push(await startFloor(name, turn));
  await subject.start();
  try {
    await subject.probe.ready();
    const { controlPlane, proxy } = await subject.processes();
    const agent = proxy.find(({ what }) => !what.startsWith('envoy'));
    if (!agent) throw new Error('the agent ended');
    const ours = [
      { what: 'control plane', pid: controlPlane.pid, startMs: controlPlane.cpuSeconds * 1000 },
      { what: 'agent', pid: agent.pid, startMs: agent.cpuSeconds * 1000 },
    ];
    const processes = [...floors, ...ours];
    await delay(Number(options.after) * 1000);
    const rates = await takenWithin(
      seconds,
      processes.map(({ pid }) => pid),
    );
    return await Promise.all(
      processes.map(async ({ what, pid, startMs }, at) => {
        const rssMb = (await processesOf(pid)).find((one) => one.pid === pid)!.rssMb;
        const { cpu: idle, wakes } = rates[at]!;
        return [what, { startMs, rssMb, idle, wakes }] as const;
      }),
    );
  } finally {
    await Promise.all([subject.stop(), ...floors.map(({ child }) => endChild(child))]);
  }
}

async function startFloor(what: string, turn: number) {
  const log = join(folder, `${what}-${turn}.log`);
  const child = await startChild(process.execPath, [join(folder, `${what}.mjs`)], { log, env });
  const output = async () => (await readFile(log, 'utf8')).split('\n').find((line) => line.startsWith('{'));
  const line = await until(`the program "${what}"`, async () => hasEnded(child) || (await output()));
  const pid = pidOf(child, what, log);
  return { what, child, pid, startMs: JSON.parse(String(line)).cpuMs as number };
}

/** Where the program finds the API server, and paths of all kinds that it serves of those our control plane reads. */
async function watchedHere(): Promise<Record<string, string>> {
  const { api } = world;
  const served: string[] = [];
  for (const kind of kindsRead()) {
    const answers = await api.client.list(kind, { limit: 1 }).then(
      () => true,
      () => false,
    );
    if (answers) served.push(resourcePath(kind));
  }
  const config = api.kubeConfigOf(users.gatewright);
  return {
    SERVER: api.server,
    TOKEN: config.getCurrentUser()?.token ?? '',
    CA: config.getCurrentCluster()?.caFile ?? '',
    WATCHED: served.join(' '),
  };
}

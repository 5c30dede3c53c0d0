/**
 * What a control plane, its agent and Envoy take while nothing changes.
 *
 *     npm run bench -- idle [--seconds 60] [--times 4] [--routes 0]
 *
 * They run over a real API server. Right after a start, V8 still collects what the start left behind, so there are several rows of `--seconds` each. A row has
 * the share of a core, and how often threads of the process began to run, a second.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { inOwnNetwork } from '../host/own-network.ts';
import { Gatewright } from '../peer/gatewright.ts';
import { World } from '../peer/world.ts';

interface Taken {
  readonly cpuNs: number;
  readonly runs: number;
}

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    times: { type: 'string', default: '4' },
    routes: { type: 'string', default: '0' },
  },
});
const seconds = Number(options.seconds);

inOwnNetwork();
await using world = await World.open();
const subject = await Gatewright.prepare(world);
try {
  await subject.start();
  await subject.probe.ready();
  await subject.probe.load(0, Number(options.routes));
  subject.probe.close();
  for (let at = 0; at < Number(options.times); at += 1) console.log(JSON.stringify(await idleRow()));
} finally {
  await subject.stop();
}

async function idleRow(): Promise<object> {
  const { controlPlane, proxy } = await subject.processes();
  const processes = [controlPlane, ...proxy];
  const before = await Promise.all(processes.map(({ pid }) => takenBy(pid)));
  await delay(seconds * 1000);
  const after = await Promise.all(processes.map(({ pid }) => takenBy(pid)));
  return Object.fromEntries(
    processes.map(({ what, rssMb }, at) => {
      const cores = (after[at]!.cpuNs - before[at]!.cpuNs) / 1e9 / seconds;
      const runs = (after[at]!.runs - before[at]!.runs) / seconds;
      return [what, { cores: Number(cores.toFixed(5)), runs: Math.round(runs), rssMb }];
    }),
  );
}

/** Of all threads, from the kernel's scheduler: `schedstat` has time on a CPU in ns, time of waiting for one, and the number of turns. */
async function takenBy(pid: number): Promise<Taken> {
  const threads = await readdir(`/proc/${pid}/task`);
  const all = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')));
  return all
    .map((text) => text.trim().split(' ').map(Number))
    .reduce((sum, [cpuNs = 0, , runs = 0]) => ({ cpuNs: sum.cpuNs + cpuNs, runs: sum.runs + runs }), {
      cpuNs: 0,
      runs: 0,
    });
}

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** What a process takes. */
export interface Rate {
  /** On a processor, in millionths of a core. */
  readonly cpu: number;
  /** How often its threads begin to run, a second. */
  readonly wakes: number;
}

/** Waits, and gives what each process took meanwhile. */
export async function takenWithin(seconds: number, pids: readonly number[]): Promise<readonly Rate[]> {
  const before = await Promise.all(pids.map(takenBy));
  await delay(seconds * 1000);
  const later = await Promise.all(pids.map(takenBy));
  return later.map(({ cpuNs, runs }, at) => ({
    cpu: (cpuNs - before[at]!.cpuNs) / 1e3 / seconds,
    wakes: (runs - before[at]!.runs) / seconds,
  }));
}

interface Taken {
  readonly cpuNs: number;
  readonly runs: number;
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

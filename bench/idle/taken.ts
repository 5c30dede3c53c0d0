import { readdir, readFile } from 'node:fs/promises';

/** What a process has taken since its start. */
export interface Taken {
  /** On a processor. */
  readonly cpuNs: number;
  /** How often its threads began to run. */
  readonly runs: number;
}

/** Of all threads, from the kernel's scheduler: `schedstat` has time on a CPU in ns, time of waiting for one, and the number of turns. */
export async function takenBy(pid: number): Promise<Taken> {
  const threads = await readdir(`/proc/${pid}/task`);
  const all = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')));
  return all
    .map((text) => text.trim().split(' ').map(Number))
    .reduce((sum, [cpuNs = 0, , runs = 0]) => ({ cpuNs: sum.cpuNs + cpuNs, runs: sum.runs + runs }), {
      cpuNs: 0,
      runs: 0,
    });
}

import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of a process since its start, in nanoseconds, all threads; finer than the 10 ms ticks of `stat`. */
export const cpuNs = (pid: number): number => threadsNs(pid, () => true);

/** The same of the threads that handle requests in Envoy, without the main one, which answers readers of statistics. */
export const workersNs = (pid: number): number => threadsNs(pid, (name) => name.startsWith('wrk:'));

const threadsNs = (pid: number, isWanted: (name: string) => boolean): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => `/proc/${pid}/task/${thread}`)
    .filter((folder) => isWanted(nameOf(folder)))
    .reduce((sum, folder) => sum + threadNs(folder), 0);

function nameOf(folder: string): string {
  try {
    return readFileSync(`${folder}/comm`, 'utf8');
  } catch {
    return ''; // It ended meanwhile.
  }
}

function threadNs(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0; // It ended meanwhile.
  }
}

/** Resident memory in MiB. */
export const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** The value that this share of all values does not exceed; 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

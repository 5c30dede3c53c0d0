import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of a process since its start, in nanoseconds, all threads; finer than the 10 ms ticks of `stat`. */
export const cpuNs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadNs(`/proc/${pid}/task/${thread}`), 0);

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

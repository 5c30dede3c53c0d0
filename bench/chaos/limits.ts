import { readdir, readFile } from 'node:fs/promises';
import type { OwnProcess } from './replica.ts';

export interface Limits {
  readonly rssMb: number;
  readonly descriptors: number;
}

/** Memory and open descriptors of processes that run, by name. */
export async function limitsOf(processes: readonly OwnProcess[]): Promise<Readonly<Record<string, Limits>>> {
  const found: Record<string, Limits> = {};
  for (const { name, pid } of processes) {
    if (pid === undefined) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const rssMb = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
    found[name] = { rssMb, descriptors: (await readdir(`/proc/${pid}/fd`)).length };
  }
  return found;
}

import { readFileSync } from 'node:fs';

/** What the kernel says of a process: `T` is stopped, `Z` has ended without its parent having looked. Undefined when it is gone. Source: proc_pid_stat(5). */
export function processState(pid: number | undefined): string | undefined {
  try {
    return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

import { readFile } from 'node:fs/promises';

/** Of `/proc`, on every Linux: USER_HZ. */
const tickMs = 10;

/** What a process or a thread has used, and whether it would run now (proc_pid_stat(5)). */
export interface ProcStat {
  /** User and system time, in milliseconds. */
  readonly cpuMs: number;
  /** It runs, or would run if others left it a processor. */
  readonly isRunnable: boolean;
}

/** Reads `/proc/PID/stat`, or that of a thread. Undefined where there is none, such as after its end. */
export async function readProcStat(path: string): Promise<ProcStat | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  // Names of programs may have spaces and brackets in them; fields 14 and 15 of all are utime and stime.
  const fields = /^\) (\S+)(?: \S+){10} (\d+) (\d+) /.exec(text.slice(text.lastIndexOf(')')));
  if (!fields) return undefined;
  const [, state, user, system] = fields;
  return { cpuMs: (Number(user) + Number(system)) * tickMs, isRunnable: state === 'R' };
}

/** The same of the thread that a process began with, which is Envoy's main thread. */
export const readMainThread = (pid: number): Promise<ProcStat | undefined> =>
  readProcStat(`/proc/${pid}/task/${pid}/stat`);

import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

const ticksPerSecond = 100;

/** Memory now and at most, and CPU time so far, of one process. */
export interface ProcessFigures {
  readonly pid: number;
  readonly what: string;
  readonly rssMb: number;
  readonly peakMb: number;
  readonly cpuSeconds: number;
}

/**
 * The processes in pods of this machine that run one of these programs, from /proc: resident memory in MB, CPU in seconds. Empty where the
 * cluster's nodes are other machines.
 */
export const podProcesses = (programs: readonly string[]): Promise<ProcessFigures[]> =>
  processesWhere(
    async (pid) =>
      programs.includes(basename(await readlink(`/proc/${pid}/exe`))) &&
      (await readFile(`/proc/${pid}/cgroup`, 'utf8')).includes('kubepods'),
  );

/** The processes that one process started, and itself. */
export const processesOf = (parent: number): Promise<ProcessFigures[]> =>
  processesWhere(async (pid) => pid === String(parent) || (await fieldsOf(pid))[1] === String(parent));

async function processesWhere(isWanted: (pid: string) => Promise<boolean>): Promise<ProcessFigures[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // A process may end while it is read.
  const found = await Promise.all(
    pids
      .map(async (pid) => ((await isWanted(pid)) ? describe(pid) : undefined))
      .map((one) => one.catch(() => undefined)),
  );
  return found.filter((one) => one !== undefined);
}

/** The fields of `stat` behind the name, which may hold spaces: state, parent, … utime and stime are the 12th and 13th. */
async function fieldsOf(pid: string): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function describe(pid: string): Promise<ProcessFigures> {
  const [status, command] = await Promise.all(
    ['status', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
  );
  const fields = await fieldsOf(pid);
  const kilobytes = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status!)?.[1] ?? Number.NaN);
  return {
    pid: Number(pid),
    what: command!
      .split('\0')
      .slice(0, 3)
      .map((word) => basename(word))
      .join(' '),
    rssMb: Math.round(kilobytes('VmRSS') / 1024),
    peakMb: Math.round(kilobytes('VmHWM') / 1024),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
  };
}

import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

const ticksPerSecond = 100;

/** Memory now and at most, and CPU time so far, of one process in a pod. */
interface PodProcess {
  readonly what: string;
  readonly rssMb: number;
  readonly peakMb: number;
  readonly cpuSeconds: number;
}

/**
 * The processes in pods of this machine that run one of these programs, from /proc: resident memory in MB, CPU in seconds. Empty where the
 * cluster's nodes are other machines.
 */
export async function processesOf(programs: readonly string[]): Promise<{ readonly processes: readonly PodProcess[] }> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map((pid) => describe(pid, programs).catch(() => undefined)));
  return { processes: found.filter((one) => one !== undefined) };
}

async function describe(pid: string, programs: readonly string[]): Promise<PodProcess | undefined> {
  const program = basename(await readlink(`/proc/${pid}/exe`));
  if (!programs.includes(program)) return undefined;
  if (!(await readFile(`/proc/${pid}/cgroup`, 'utf8')).includes('kubepods')) return undefined;
  const [status, stat, command] = await Promise.all(
    ['status', 'stat', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
  );
  const kilobytes = (key: string) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status!)?.[1] ?? Number.NaN);
  // The name may hold spaces, so fields are counted from behind it: utime and stime are the 12th and 13th.
  const fields = stat!.slice(stat!.lastIndexOf(')') + 2).split(' ');
  return {
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

/** Ends test files that hang: AVA would wait for them silently of which they are. */
import { setTimeout as delay } from 'node:timers/promises';
import { isGroup } from './test-groups.ts';
import { readLines } from './test-times.ts';

/** No file may take longer than this, unless it is known to: most take seconds, and a busy machine may take a hundred times that. */
const LIMIT_SECONDS = 25 * 60;
/** How much longer than on an idle machine a file may take where others work, too. */
const SLOWER = 30;

interface Pace {
  readonly lookEveryMs: number;
  /** For what a file has started to end. */
  readonly endMs: number;
}
const usual: Pace = { lookEveryMs: 5_000, endMs: 10_000 };

export interface RunningFile {
  readonly file: string;
  /** Of its process. */
  readonly pid: number;
  /** Since the epoch. */
  readonly beganMs: number;
}

/** The files that have begun and are not over, by the lines of a report. One that shares a process is there beside that process's own. */
export function runningFiles(lines: readonly object[]): readonly RunningFile[] {
  const running = new Map<string, RunningFile>();
  for (const line of lines) {
    if ('begins' in line) {
      const { begins: file, pid, atMs: beganMs } = line as { begins: string; pid: number; atMs: number };
      running.set(file, { file, pid, beganMs });
    } else if ('file' in line) running.delete(line.file as string);
  }
  return [...running.values()];
}

/** What a file may take: minutes. What shares a process has a limit for each file, and one for all that no single file can reach. */
export function limitSeconds(file: string, times: Readonly<Record<string, number>>): number {
  if (isGroup(file)) return 3 * LIMIT_SECONDS;
  return Math.max(LIMIT_SECONDS, SLOWER * (times[file] ?? 0));
}

/**
 * Looks at the report of a run until the function that it gives is called. A file that is over its limit is named on stderr and its process
 * ended, which AVA counts as a failure.
 *
 * @param times seconds that files take
 */
export function watchFiles(
  report: string,
  times: Readonly<Record<string, number>>,
  { lookEveryMs, endMs }: Pace = usual,
): () => void {
  const ended = new Set<number>();
  const timer = setInterval(() => {
    for (const { file, pid, beganMs } of runningFiles(readLines(report))) {
      const seconds = (Date.now() - beganMs) / 1000;
      if (ended.has(pid) || seconds < limitSeconds(file, times)) continue;
      ended.add(pid);
      console.error(`${file} hangs: it has been running for ${Math.round(seconds)} s, and is ended`);
      void end(pid, endMs);
    }
  }, lookEveryMs).unref();
  return () => clearInterval(timer);
}

/** SIGTERM ends what the file has started, too; a process that computes without an end does not hear it. */
async function end(pid: number, endMs: number): Promise<void> {
  if (!kill(pid, 'SIGTERM')) return;
  await delay(endMs, undefined, { ref: false });
  kill(pid, 'SIGKILL');
}

/** False when it has ended already. */
function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

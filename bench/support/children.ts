import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { endBySignals } from './end-by-signals.ts';
import { familyOf } from './family.ts';

export interface ChildOptions {
  readonly log: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Where it runs; where we do when left out. */
  readonly cwd?: string;
  /** In a session of its own: Linux shares processors among sessions first (autogroup). */
  readonly detached?: boolean;
}

/** Starts a program whose output goes to a file. */
export async function startChild(
  program: string,
  args: readonly string[],
  { log: file, env, cwd, detached = false }: ChildOptions,
): Promise<ChildProcess> {
  const log = openSync(file, 'a');
  const stdio = ['ignore', log, log] as const;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: [...stdio], cwd, detached });
  // A bench that fails or is ended leaves none behind, and the terminal's signals do not reach another session.
  endBySignals();
  const kill = () => killFamily(child);
  process.once('exit', kill);
  child.once('exit', () => process.removeListener('exit', kill));
  await once(child, 'spawn');
  return child;
}

/** With what it started: an Envoy outlives its agent. */
function killFamily({ pid }: ChildProcess): void {
  for (const one of pid === undefined ? [] : familyOf(pid)) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Ends it in good order and waits for that. */
export async function endChild(child: ChildProcess | undefined): Promise<void> {
  if (!child || hasEnded(child)) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

/** Ends it at once, and waits for that. */
export async function killChild(child: ChildProcess | undefined): Promise<void> {
  if (!child || hasEnded(child)) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** @returns its pid; throws when it ended by itself, and says where its output is */
export function pidOf(child: ChildProcess | undefined, what: string, log: string): number {
  if (!child?.pid || hasEnded(child)) throw new Error(`${what} is not running: see ${log}`);
  return child.pid;
}

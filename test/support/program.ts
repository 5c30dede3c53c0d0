import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { programVariable } from '../../scripts/test-program.ts';

/** The program's sources. */
export const sourceFile = fileURLToPath(new URL('../../bin/gatewright.ts', import.meta.url));
/** What to start as the program. */
export const programFile = process.env[programVariable] ?? sourceFile;

/** What a process that ended by itself left behind. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program while it runs. */
export interface Running {
  /** What it has said so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  kill(signal: NodeJS.Signals): void;
  readonly pid: number;
  readonly ended: Promise<Ended>;
}

/** Runs the program until it ends by itself. */
export const runProgram = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  startProgram(args, env).ended;

/** Starts the program, or what was bundled of it, behind the words of `prefix`; the caller ends it, or waits for it to end. */
export function startProgram(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  { file = programFile, prefix = [] }: { readonly file?: string; readonly prefix?: readonly string[] } = {},
): Running {
  const [command = '', ...line] = [...prefix, process.execPath, file, ...args];
  const child = spawn(command, line, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) => {
      output[stream] += chunk.toString();
    });
  }
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'close').then(([code]): Ended => {
    process.removeListener('exit', kill);
    return { code: code as number | null, ...output };
  });
  return { output, kill: (signal) => child.kill(signal), pid: child.pid as number, ended };
}

/** Writes a file that lives as long as the test. */
export function fileFor(t: ExecutionContext, text: string, name = 'config.yaml'): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-start-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
}

/** A configuration whose ports are free ones of loopback, with more behind it. */
export const anywhere =
  'xds: {listen: "127.0.0.1:0", insecure: true}\nadmin: {listen: "127.0.0.1:0", layout2Listen: "127.0.0.1:0"}\nmetrics: {listen: "127.0.0.1:0"}\ninfrastructure: {image: none}\n';

import { accessSync, constants } from 'node:fs';

/** A program and its arguments. */
export interface Command {
  readonly path: string;
  readonly args: readonly string[];
  /** The program's standard input is a pipe that must be kept open, and given a line when the program has ended. */
  readonly watched: boolean;
}

const shell = '/bin/sh';

/**
 * Puts a watcher beside the program, then becomes the program, so that the process id is the program's own. The watcher
 * reads the pipe from the agent: at its end (the agent is gone, however it went) it kills the program; a line means that
 * the program has ended, and that its process id may belong to another process by now. `3<&0`: the shell gives a background
 * command /dev/null for standard input. The watcher lets go of the program's output, or its end would not be seen.
 */
const script = 'exec 3<&0; { read -r _ <&3 || kill -KILL $$; } >/dev/null 2>&1 & exec "$@" </dev/null 3<&-';

/**
 * A command that runs `path` and ends it when this process ends, even by SIGKILL. As process 1 of a container none of
 * this is needed: the kernel ends everything in the container with it; images without a shell have only that.
 */
export function dieWithParent(path: string, args: readonly string[], pid = process.pid): Command {
  if (pid === 1 || !isExecutable(shell)) return { path, args, watched: false };
  return { path: shell, args: ['-c', script, 'envoy', path, ...args], watched: true };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

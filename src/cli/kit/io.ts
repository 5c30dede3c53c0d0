import type { Command } from 'commander';
import type { Kind } from '../../gateway-api/index.ts';
import type { ObjectValidator } from '../../sources/index.ts';

/** What commands may touch of the process that they run in. */
export interface CliIo {
  /** Of this program. */
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** Standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Standard error is a terminal. */
  readonly isErrorTerminal: boolean;
  /** Characters in a line of that terminal; undefined without one. */
  readonly width?: number | undefined;
  /** To standard output. */
  write(text: string): void;
  /** To standard error. */
  writeError(text: string): void;
  /** 0 good, 1 not as it should be, 2 unknown, because something could not be read. */
  setExitCode(code: 0 | 1 | 2): void;
  /** Ends the program, after help or a command line that cannot be read. */
  exit(code: 0 | 2): never;
  /** By the CustomResourceDefinitions that files are held against, for these kinds, or all that need no switch. Rejects where there are none. */
  validator(read?: readonly Kind[]): Promise<ObjectValidator>;
}

/** Adds one command: its options, its help, what it does and its exit codes. Gives the command. */
export type CommandModule = (program: Command, io: CliIo) => Command;

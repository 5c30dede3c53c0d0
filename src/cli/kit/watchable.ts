import type { Command } from 'commander';
import type { CommonOptions } from './command.ts';

export interface WatchOptions extends CommonOptions {
  readonly watch?: boolean;
}

/** A command that can go on. */
export const watchable = (command: Command): Command =>
  command.option('-w, --watch', 'go on and show what changes, until interrupted');

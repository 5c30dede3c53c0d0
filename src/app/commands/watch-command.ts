import type { Command } from 'commander';
import type { AdminClient, Column } from '../../cli/index.ts';
import type { Cli, CommonOptions } from './command.ts';

export interface WatchOptions extends CommonOptions {
  readonly watch?: boolean;
}

/** A command that can go on. */
export const watchable = (command: Command): Command =>
  command.option('-w, --watch', 'go on and show what changes, until interrupted');

interface Watched<T> {
  readonly options: WatchOptions;
  readonly read: () => Promise<T>;
  /** What the command prints of it. */
  readonly text: (value: T) => string;
  /** Events after which it may look different. */
  readonly types?: string;
}

/** Shows the whole again whenever it changed. Ends with SIGINT or SIGTERM, and gives true: nothing went wrong. */
export async function watchText<T>(
  client: AdminClient,
  cli: Cli,
  { options, read, text, types }: Watched<T>,
): Promise<true> {
  const show = cli.textShower<T>(screenOf(options), (value) => cli.separated(options.output, text(value)));
  await cli.watch(client, { types, read, show, signal: untilInterrupted(), onLost: tellLost() });
  return true;
}

/** The same of rows, of which those that changed are shown. */
export async function watchRows<T>(
  client: AdminClient,
  cli: Cli,
  watched: Watched<readonly T[]> & { readonly columns: (now: Date) => readonly Column<T>[] },
): Promise<true> {
  const { options, read, types, columns } = watched;
  if (options.output !== 'table') return await watchText(client, cli, watched);
  const show = cli.rowsShower<T>(screenOf(options), { columns, idOf: cli.idOfEntry });
  await cli.watch(client, { types, read, show, signal: untilInterrupted(), onLost: tellLost() });
  return true;
}

const screenOf = ({ output }: WatchOptions) => ({
  isTerminal: output === 'table' && process.stdout.isTTY === true,
  write: (text: string) => {
    process.stdout.write(text);
  },
});

function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  return interrupted.signal;
}

/** One line for each reason, not for each try. */
function tellLost(): (error: Error) => void {
  let told = '';
  return ({ message }) => {
    if (message !== told) process.stderr.write(`gatewright: ${message}; trying again\n`);
    told = message;
  };
}

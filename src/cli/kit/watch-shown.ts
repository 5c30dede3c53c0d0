import type { AdminClient } from './admin-client.ts';
import type { CliIo } from './io.ts';
import { rowsShower, separated, textShower } from './screen.ts';
import { type Column, columnsOf } from './table.ts';
import { watch } from './watch.ts';
import type { WatchOptions } from './watchable.ts';

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
  io: CliIo,
  { options, read, text, types }: Watched<T>,
): Promise<true> {
  const show = textShower<T>(screenOf(options, io), (value) => separated(options.output, text(value)));
  await watch(client, { types, read, show, signal: untilInterrupted(), onLost: reportLost(io) });
  return true;
}

/** The same of rows, of which those that changed are shown. */
export async function watchRows<T>(
  client: AdminClient,
  io: CliIo,
  watched: Watched<readonly T[]> & { readonly columns: (now: Date) => readonly Column<T>[] },
): Promise<true> {
  const { options, read, types, columns } = watched;
  if (!isTable(options)) return await watchText(client, io, watched);
  const shown = (now: Date) => columnsOf(columns(now), options.output);
  const show = rowsShower<T>(screenOf(options, io), { columns: shown, idOf: idOfEntry });
  await watch(client, { types, read, show, signal: untilInterrupted(), onLost: reportLost(io) });
  return true;
}

/** Identifies an entry of a list. */
const idOfEntry = (entry: unknown): string => {
  const { kind, namespace, name, nodeId, gateway, policy, target, part } = entry as Readonly<Record<string, unknown>>;
  return JSON.stringify([kind, namespace, name, nodeId, gateway, policy, target, part]);
};

const isTable = ({ output }: WatchOptions): boolean => output === 'table' || output === 'wide';

const screenOf = (options: WatchOptions, io: CliIo) => ({
  isTerminal: isTable(options) && io.isTerminal,
  width: options.output === 'wide' ? undefined : io.width,
  write: (text: string) => io.write(text),
});

/** Aborted by SIGINT or SIGTERM. */
export function untilInterrupted(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
  return interrupted.signal;
}

/** One line for each reason, not for each try. */
export function reportLost(io: CliIo): (error: Error) => void {
  let reported = '';
  return ({ message }) => {
    if (message !== reported) io.writeError(`gatewright: ${message}; trying again\n`);
    reported = message;
  };
}

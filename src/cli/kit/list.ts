import type { Command } from 'commander';
import type { CliIo } from './io.ts';
import { render } from './output.ts';
import { type Column, columnsOf, fitted, tableLines } from './table.ts';
import type { WatchOptions } from './watchable.ts';

/** Options of a command that lists. */
export interface ListOptions extends WatchOptions {
  /** False after `--no-headers`. */
  readonly headers: boolean;
}

/** A command that lists, with `--no-headers`. */
export const listing = (command: Command): Command =>
  command.option('--no-headers', 'a table without its headings, and nothing at all for an empty one');

export interface ListShape<T> {
  readonly columns: readonly Column<T>[];
  /** `KIND/NAME`, for `-o name`. */
  readonly nameOf: (row: T) => string;
  /** What is said of an empty list. */
  readonly empty: string;
}

/** A list in any format. A table is cut at the edge of a terminal, unless it is wide; elsewhere lines are whole. */
export function listText<T>(
  rows: readonly T[],
  { columns, nameOf, empty }: ListShape<T>,
  { output, headers }: Pick<ListOptions, 'output' | 'headers'>,
  io: Pick<CliIo, 'width'>,
): string {
  if (output === 'name') return rows.map(nameOf).join('\n');
  return render(rows, output, () => {
    if (rows.length === 0) return headers ? empty : '';
    const lines = tableLines(rows, columnsOf(columns, output)).slice(headers ? 0 : 1);
    return fitted(lines, output === 'wide' ? undefined : io.width).join('\n');
  });
}

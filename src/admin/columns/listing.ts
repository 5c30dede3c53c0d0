import type { Column } from './column.ts';

/** How a list of the admin API reads as a table: where the list is, and the columns of a line. */
export interface Listing<T> {
  /** `gateway`; of a row that says its own kind, that. */
  readonly singular: string;
  readonly path: string;
  /** `now`: for ages. */
  readonly columns: (now: Date) => readonly Column<T>[];
  /** What a row goes by. Its own `kind`, `namespace` and `name`, where this is left out. */
  readonly named?: (row: T) => Named;
}

export interface Named {
  readonly kind?: string;
  readonly namespace: string;
  readonly name: string;
}

/** Of any record: a row is only ever handed to the columns of its own list. */
export const listing = <T>(
  singular: string,
  path: string,
  columns: (now: Date) => readonly Column<T>[],
  named?: (row: T) => Named,
): Listing<unknown> => ({ singular, path, columns, ...(named && { named }) }) as Listing<unknown>;

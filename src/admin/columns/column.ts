/** One column: its heading, and what a row has there. */
export interface Column<T> {
  readonly heading: string;
  readonly cell: (row: T) => string;
  /** The whole of a value that `cell` shortens. */
  readonly wideCell?: (row: T) => string;
  /** Shown by `-o wide` alone. */
  readonly isWide?: boolean;
}

export const column = <T>(heading: string, cell: (row: T) => string): Column<T> => ({ heading, cell });
export const wide = <T>(heading: string, cell: (row: T) => string): Column<T> => ({ heading, cell, isWide: true });
/** Several values, of which a table of 80 characters has room for the first. */
export const several = <T>(heading: string, values: (row: T) => readonly string[]): Column<T> => ({
  heading,
  cell: (row) => firstOf(values(row)),
  wideCell: (row) => values(row).join(','),
});

/** The first of some values, and how many more there are. */
const firstOf = (values: readonly string[]): string =>
  values.length < 2 ? (values[0] ?? '') : `${values[0]} +${values.length - 1}`;

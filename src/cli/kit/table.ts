import type { Column } from '../../admin/columns/index.ts';

export { age, type Column } from '../../admin/columns/index.ts';

/** Columns as a format shows them: 80 characters are enough for a table of short names, `wide` has the rest. */
export const columnsOf = <T>(columns: readonly Column<T>[], format: string): readonly Column<T>[] =>
  format === 'wide'
    ? columns.map(({ heading, cell, wideCell = cell }) => ({ heading, cell: wideCell }))
    : columns.filter(({ isWide = false }) => !isWide);

/** Enough of a snapshot's id to identify it. */
export const shortId = (id: string | null): string => id?.slice(0, 12) ?? '';

/** Lines that fit: the last characters of one that is too long are left out, which `…` marks. */
export const fitted = (lines: readonly string[], width: number | undefined): string[] =>
  lines.map((line) => (width === undefined || line.length <= width ? line : `${line.slice(0, width - 1)}…`));

const gap = '   ';

/** Lines of left-aligned columns under headings in capitals, as kubectl prints them. An empty cell shows `-`. */
export const table = <T>(rows: readonly T[], columns: readonly Column<T>[]): string =>
  tableLines(rows, columns).join('\n');

/** The lines of such a table, the one with the headings first. */
export function tableLines<T>(rows: readonly T[], columns: readonly Column<T>[]): string[] {
  const lines = [
    columns.map(({ heading }) => heading.toUpperCase()),
    ...rows.map((row) => columns.map(({ cell }) => cell(row).replaceAll(/\s+/g, ' ') || '-')),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] as string).length)));
  return lines.map((line) =>
    line
      .map((text, index) => text.padEnd(widths[index] as number))
      .join(gap)
      .trimEnd(),
  );
}

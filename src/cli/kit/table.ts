/** One column: its heading, and what a row has there. */
export interface Column<T> {
  readonly heading: string;
  readonly cell: (row: T) => string;
}

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

/** `12s`, `5m`, `3h`, `2d`: how long ago, as kubectl writes ages. */
export function age(since: string | null, now: Date): string {
  if (since === null) return '';
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(since)) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

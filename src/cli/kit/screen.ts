import type { OutputFormat } from './output.ts';
import { type Column, fitted, tableLines } from './table.ts';

/** Where what is watched is shown. */
export interface Screen {
  /** A terminal is drawn again; anything else gets lines appended, as `kubectl get -w` does it. */
  readonly isTerminal: boolean;
  /** Longer lines are cut. */
  readonly width?: number | undefined;
  write(text: string): void;
}

const clear = '\u001b[2J\u001b[H';

/** Shows a value whenever what is said of it changes. `text` is what a command prints of it. */
export function textShower<T>(screen: Screen, text: (value: T) => string): (value: T) => void {
  let shown: string | undefined;
  return (value) => {
    const now = text(value);
    if (now === shown) return;
    screen.write(screen.isTerminal ? `${clear}${now}\n` : `${now}\n`);
    shown = now;
  };
}

interface Rows<T> {
  readonly columns: (now: Date) => readonly Column<T>[];
  /** Identifies a row. */
  readonly idOf: (row: T) => string;
}

/** Shows rows: all of them on a terminal, else those that are new, different or gone. */
export function rowsShower<T>(
  screen: Screen,
  { columns, idOf }: Rows<T>,
): (rows: readonly T[], before: readonly T[] | undefined) => void {
  // Ages add nothing: they count from a time that stands still.
  const meaning = (row: T): string => JSON.stringify(columns(new Date(0)).map(({ cell }) => cell(row)));
  return (rows, before) => {
    const [heading = '', ...lines] = tableLines(rows, columns(new Date()));
    if (screen.isTerminal) return screen.write(`${clear}${fitted([heading, ...lines], screen.width).join('\n')}\n`);
    const known = new Map((before ?? []).map((row) => [idOf(row), row]));
    const changed = lines.filter((_, index) => {
      const row = rows[index] as T;
      const former = known.get(idOf(row));
      known.delete(idOf(row));
      return former === undefined || meaning(former) !== meaning(row);
    });
    const gone = tableLines([...known.values()], columns(new Date()))
      .slice(1)
      .map((line) => `${line}   (gone)`);
    const news = [...(before === undefined ? [heading] : []), ...changed, ...gone];
    if (news.length > 0) screen.write(`${news.join('\n')}\n`);
  };
}

/** How documents that follow each other are kept apart. */
export const separated = (format: OutputFormat, text: string): string => (format === 'yaml' ? `---\n${text}` : text);

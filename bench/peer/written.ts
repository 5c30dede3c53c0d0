import { readingOf } from './reading.ts';
import type { Figure, Row } from './rows.ts';
import { markdownTable, type Plotted, plot } from './table.ts';

/** What `bench/results/NAME.json` has: all that `NAME.md` is made of, so that a table can be written again without a run. */
export interface Kept {
  readonly title: string;
  readonly about: string;
  /** When, on what machine, with which versions. */
  readonly taken: string;
  readonly plots: readonly Plotted[];
  readonly rows: readonly Row[];
  readonly turns: readonly {
    readonly subject: string;
    readonly turns: readonly Readonly<Record<string, Figure>>[];
  }[];
}

/** `bench/results/NAME.md`. */
export function pageOf(kept: Kept): string {
  const names = subjectsOf(kept);
  const drawn = kept.plots.map((one) => plot(kept.rows, names, one)).filter((text) => text !== '');
  return `${[`# ${kept.title}`, textOf(kept), ...drawn].join('\n\n')}\n`;
}

/** What was done, how the table is read, and the table. */
export function textOf(kept: Kept): string {
  const { about, taken, rows, turns } = kept;
  const names = subjectsOf(kept);
  const count = Math.max(...turns.map((one) => one.turns.length));
  const counts = rows.some(({ cells }) => cells.some((cell) => cell?.counted));
  const together = counts ? '; requests of all turns together' : '';
  const spread = count > 1 ? `${count} turns each: median (least–greatest)${together}.` : 'One turn each.';
  const reading = readingOf(rows, names);
  return [`${about} ${spread}`, `${taken}.`, ...(reading === '' ? [] : [reading]), markdownTable(rows, names)].join(
    '\n\n',
  );
}

const subjectsOf = ({ turns }: Kept): readonly string[] => turns.map(({ subject }) => subject);

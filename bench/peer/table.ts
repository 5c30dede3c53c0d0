import { median } from '../support/figures.ts';
import type { Figures } from './turn.ts';

/** All turns of one subject. */
export interface Turns {
  readonly subject: string;
  readonly turns: readonly Figures[];
}

/** One figure of all subjects: the first one is ours. */
export interface Row {
  readonly what: string;
  readonly cells: readonly (Cell | undefined)[];
}

export interface Cell {
  readonly min: number;
  readonly median: number;
  readonly max: number;
  /** Median by ours; none for our own, and none where ours is 0. */
  readonly ratio?: number;
}

/** The figures in the order in which the first turn found them. */
export function rowsOf(all: readonly Turns[]): Row[] {
  const names = new Set(all.flatMap(({ turns }) => turns.flatMap((figures) => [...figures.keys()])));
  return [...names].map((what) => {
    const cells = all.map(({ turns }) => cellOf(turns.map((figures) => figures.get(what))));
    const ours = cells[0]?.median;
    return {
      what,
      cells: cells.map((cell, at) => (cell && at > 0 && ours ? { ...cell, ratio: cell.median / ours } : cell)),
    };
  });
}

function cellOf(values: readonly (number | undefined)[]): Cell | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return { min: Math.min(...known), median: median(known), max: Math.max(...known) };
}

/** A Markdown table: median, least and greatest in brackets, and how many times ours. */
export function markdownTable(rows: readonly Row[], subjects: readonly string[]): string {
  const heads = subjects.flatMap((subject, at) => (at === 0 ? [subject] : [subject, 'ratio']));
  const lines = rows.map(({ what, cells }) => {
    const texts = cells.flatMap((cell, at) => (at === 0 ? [textOf(cell)] : [textOf(cell), ratioOf(cell)]));
    return `| ${[what, ...texts].join(' | ')} |`;
  });
  return [`| what @ routes | ${heads.join(' | ')} |`, `|---|${heads.map(() => '---|').join('')}`, ...lines].join('\n');
}

const textOf = (cell: Cell | undefined): string => {
  if (!cell) return '';
  const [least, middle, greatest] = [cell.min, cell.median, cell.max].map(short);
  return least === greatest ? `${middle}` : `${middle} (${least}–${greatest})`;
};

const ratioOf = (cell: Cell | undefined): string => (cell?.ratio === undefined ? '' : `× ${short(cell.ratio)}`);

/** Three digits that count. */
const short = (value: number): string =>
  Number(Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(3)).toLocaleString('en');

/** A plot of one figure over numbers of routes, as Mermaid, which GitHub draws: one line for each subject. */
export function plot(rows: readonly Row[], what: string): string {
  const points = rows.filter((row) => row.what.startsWith(`${what} @ `));
  const lines = (points[0]?.cells ?? []).map((_, at) => points.map((row) => row.cells[at]?.median ?? 0));
  const numbers = (values: readonly unknown[]) => `[${values.join(', ')}]`;
  return [
    '```mermaid',
    'xychart-beta',
    `  title "${what}"`,
    `  x-axis "routes" ${numbers(points.map((row) => `"${row.what.split(' @ ')[1]}"`))}`,
    ...lines.map((values) => `  line ${numbers(values)}`),
    '```',
  ].join('\n');
}

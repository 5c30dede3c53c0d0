import { tallyText } from '../support/tally.ts';
import { isCompared, labelOf, ratioHead } from './reading.ts';
import type { Cell, Row, Spread } from './rows.ts';

/**
 * A Markdown table: median, least and greatest in brackets, and how many times ours (reading.ts): in a column of its own beside one other subject, in the cell
 * beside more, and nowhere if no row has both.
 */
export function markdownTable(rows: readonly Row[], subjects: readonly string[]): string {
  const ofTwo = subjects.length <= 2 && rows.some(isCompared);
  const heads = subjects.flatMap((subject, at) => (ofTwo && at > 0 ? [subject, ratioHead] : [subject]));
  const lines = rows.map((row) => {
    const texts = row.cells.flatMap((cell, at) => {
      if (at === 0) return [textOf(cell)];
      const parts = [textOf(cell), ratioOf(cell)];
      return ofTwo ? parts : [parts.filter((text) => text !== '').join(', ')];
    });
    return `| ${[labelOf(row), ...texts].join(' | ')} |`;
  });
  const of = rows.some(({ what }) => what.includes(' @ ')) ? 'what @ how many' : 'what';
  return [`| ${of} | ${heads.join(' | ')} |`, `|---|${heads.map(() => '---|').join('')}`, ...lines].join('\n');
}

const textOf = (cell: Cell | undefined): string =>
  [
    ...(cell?.of ? [spreadOf(cell.of)] : []),
    ...(cell?.counted ? [tallyText(cell.counted)] : []),
    ...(cell?.said ?? []),
  ].join('; ');

function spreadOf(spread: Spread): string {
  const [least, middle, greatest] = [spread.min, spread.median, spread.max].map(short);
  return least === greatest ? `${middle}` : `${middle} (${least}–${greatest})`;
}

const ratioOf = (cell: Cell | undefined): string => (cell?.ratio === undefined ? '' : `× ${short(cell.ratio)}`);

/** Three digits that count. */
const short = (value: number): string =>
  Number(Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(3)).toLocaleString('en', {
    maximumFractionDigits: 6,
  });

/** What a plot shows: one figure, for several numbers of what `over` counts, or one bar for each subject. */
export interface Plotted {
  readonly what: string;
  readonly over?: string;
}

/**
 * A plot of one figure as Mermaid, which GitHub draws: one line for each subject that has a number everywhere, over what is behind
 * the figure's `@`; or bars. Empty when no subject has a number.
 */
export function plot(rows: readonly Row[], subjects: readonly string[], { what, over }: Plotted): string {
  return over === undefined ? bars(rows, subjects, what) : lines(rows, subjects, what, over);
}

function bars(rows: readonly Row[], subjects: readonly string[], what: string): string {
  const cells = rows.find((row) => row.what === what)?.cells ?? [];
  const drawn = subjects.flatMap((subject, at) => {
    const value = cells[at]?.counted?.failed ?? cells[at]?.of?.median;
    return value === undefined ? [] : [{ subject, value }];
  });
  if (drawn.length === 0) return '';
  const names = drawn.map(({ subject }) => `"${subject}"`);
  return chart(what, `x-axis ${list(names)}`, [`bar ${list(drawn.map(({ value }) => value))}`]);
}

function lines(rows: readonly Row[], subjects: readonly string[], what: string, over: string): string {
  const points = rows.filter((row) => row.what.startsWith(`${what} @ `));
  const all = subjects.map((subject, at) => ({ subject, values: points.map((row) => row.cells[at]?.of?.median) }));
  const drawn = all.filter(({ values }) => values.every((value) => value !== undefined));
  if (points.length === 0 || drawn.length === 0) return '';
  return chart(
    `${what}: ${drawn.map(({ subject }) => subject).join(', then ')}`,
    `x-axis "${over}" ${list(points.map((row) => `"${row.what.split(' @ ')[1]}"`))}`,
    drawn.map(({ values }) => `line ${list(values)}`),
  );
}

const list = (values: readonly unknown[]): string => `[${values.join(', ')}]`;

function chart(title: string, axis: string, drawn: readonly string[]): string {
  return [
    '```mermaid',
    'xychart-beta',
    `  title "${title}"`,
    ...[axis, ...drawn].map((line) => `  ${line}`),
    '```',
  ].join('\n');
}

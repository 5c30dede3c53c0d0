import type { Row } from './rows.ts';

/** The column of a table of two subjects. */
export const ratioHead = 'theirs ÷ ours';

/** Figures of which more is better, without the part in front of a colon and what follows `@`; of all others less is. */
const gains: ReadonlySet<string> = new Set([
  'requests per second',
  'requests a second',
  'requests while one route changes',
  'new routes meanwhile',
  'granted of the limit, %',
  'decided from the lease, %',
]);

/** Figures that say how much a program was given to do. */
const loads: ReadonlySet<string> = new Set(['changes', 'changes of one route', 'asked, times the limit']);

const measureOf = (what: string): string => what.replace(/^.*: /, '').replace(/ @ .*$/, '');

const isGain = ({ what }: Row): boolean => gains.has(measureOf(what));
const isLoad = ({ what }: Row): boolean => loads.has(measureOf(what));

/** The name of a row, with whether more is better. */
export function labelOf(row: Row): string {
  if (isGain(row)) return `${row.what} (more is better)`;
  return isLoad(row) ? `${row.what} (load)` : row.what;
}

export const isCompared = ({ cells }: Row): boolean => cells.some((cell) => cell?.ratio !== undefined);

/** How the ratios of a table are read; empty where there is none. */
export function readingOf(rows: readonly Row[], [ours = '', ...others]: readonly string[]): string {
  const compared = rows.filter(isCompared);
  if (compared.length === 0) return '';
  const what =
    others.length === 1
      ? `“${ratioHead}” is the median of ${others[0]}, divided by that of ${ours}.`
      : `“× N” is a median, divided by that of ${ours}.`;
  return [
    what,
    `Less is better, so a ratio above 1 is good for ${ours}.`,
    ...(compared.some(isGain) ? ['In rows with “more is better”, a ratio below 1 is.'] : []),
    ...(compared.some(isLoad) ? ['Rows with “load” say how much a program was given to do.'] : []),
  ].join(' ');
}

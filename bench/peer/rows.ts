import { median } from '../support/figures.ts';
import { type Tally, total } from '../support/tally.ts';

/** Figures of one turn by name, `what, unit` or `what, unit @ of how many`; a text where there is no number, and why. */
export type Figures = Map<string, Figure>;

/** A tally is of requests: those of all turns are counted together. */
export type Figure = number | string | Tally;

/** Keeps a figure; one that there is not is left out. */
export type Note = (what: string, value: Figure | undefined) => void;

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
  /** None where no turn has a number. */
  readonly of?: Spread;
  /** Median by ours; none for our own, and none where ours is 0. */
  readonly ratio?: number;
  /** Of all turns. */
  readonly counted?: Tally;
  /** What turns have in place of a number. */
  readonly said: readonly string[];
}

export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** The figures in the order in which the first turn found them. */
export function rowsOf(all: readonly Turns[]): Row[] {
  const names = new Set(all.flatMap(({ turns }) => turns.flatMap((figures) => [...figures.keys()])));
  return [...names].map((what) => {
    const cells = all.map(({ turns }) => cellOf(turns.map((figures) => figures.get(what))));
    const ours = cells[0]?.of?.median;
    return {
      what,
      cells: cells.map((cell, at) => (cell?.of && at > 0 && ours ? { ...cell, ratio: cell.of.median / ours } : cell)),
    };
  });
}

function cellOf(values: readonly (Figure | undefined)[]): Cell | undefined {
  const numbers = values.filter((value) => typeof value === 'number');
  const said = values.filter((value) => typeof value === 'string');
  const tallies = values.filter((value) => typeof value === 'object');
  if (tallies.length > 0) return { counted: total(tallies), said };
  if (numbers.length === 0) return said.length === 0 ? undefined : { said };
  return { of: { min: Math.min(...numbers), median: median(numbers), max: Math.max(...numbers) }, said };
}

import type { Traffic } from '../../api/gen/types.ts';

/** Points of time in seconds, with requests and errors. */
type Series = readonly (readonly [at: number, requests: number, errors: number])[];

/** One step: without counts where no proxy reported any. */
export type Point = readonly [at: number, requests: number | null, errors: number | null];

export interface Steps {
  readonly whole: readonly Point[];
  /** The one that is not over: beside whole ones it looks as if the traffic had gone down. */
  readonly unfinished: Point | undefined;
}

/** Every step of the window, so that a gap is a gap. */
export function stepsOf(series: Series, { from, to, stepSeconds }: Traffic['window']): Steps {
  const known = new Map(series.map((point) => [point[0], point]));
  const [first, end] = [from, to].map((time) => Math.floor(Date.parse(time) / 1000 / stepSeconds)) as [number, number];
  const pointAt = (step: number): Point => known.get(step * stepSeconds) ?? [step * stepSeconds, null, null];
  const whole = Array.from({ length: Math.max(0, end - first) }, (_, at) => pointAt(first + at));
  const isOver = Date.parse(to) / 1000 === end * stepSeconds;
  return { whole, unfinished: isOver ? undefined : pointAt(end) };
}

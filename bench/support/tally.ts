/** What came of requests: how many, and those that were not answered as they should have been, by kind. */
export interface Tally {
  readonly requests: number;
  readonly failed: number;
  /** By what was wrong: a status (`503`), `connection`, `no answer`, `wrong backend`. */
  readonly kinds: Readonly<Record<string, number>>;
  /** What of it there was no time for. */
  readonly unfinished?: string;
}

/** All of them together. */
export function total(tallies: readonly Tally[]): Tally {
  const kinds: Record<string, number> = {};
  for (const [kind, count] of tallies.flatMap((one) => Object.entries(one.kinds)))
    kinds[kind] = (kinds[kind] ?? 0) + count;
  const sum = (of: (tally: Tally) => number) => tallies.reduce((so, tally) => so + of(tally), 0);
  const unfinished = tallies.flatMap((one) => one.unfinished ?? []).join('; ');
  const counted = { requests: sum(({ requests }) => requests), failed: sum(({ failed }) => failed), kinds };
  return unfinished === '' ? counted : { ...counted, unfinished };
}

/** As in a table: `2 of 1,000 (503 × 2)`. */
export function tallyText({ failed, requests, kinds, unfinished }: Tally): string {
  const which = Object.entries(kinds).map(([kind, count]) => `${kind} × ${count.toLocaleString('en')}`);
  const why = which.length === 0 ? '' : ` (${which.join(', ')})`;
  return `${failed.toLocaleString('en')} of ${requests.toLocaleString('en')}${why}${unfinished ? `; ${unfinished}` : ''}`;
}

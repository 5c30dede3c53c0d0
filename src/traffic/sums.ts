import { durationBounds, type Sums, type TrafficRow } from '../contracts/index.ts';

export const sumsOfRow = ([, , , requests, failed, errors, classes, ms, slower, flags]: TrafficRow): Sums => ({
  requests,
  failed,
  errors,
  classes: [...classes],
  ms,
  slower: [...slower],
  flags: { ...flags },
});

/** The smallest bound that `share` of the requests stayed below; null when there was none, or they took longer than the last one. */
export function quantileOf({ requests, slower }: Pick<Sums, 'requests' | 'slower'>, share: number): number | null {
  if (requests === 0) return null;
  return durationBounds.find((_, at) => requests - (slower[at] ?? 0) >= share * requests) ?? null;
}

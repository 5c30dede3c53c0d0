/** The value that a share of the values is not above, to a hundredth, or to three digits below 1; the smaller one between two. NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return Math.abs(value) < 1 ? Number(value.toPrecision(3)) : Math.round(value * 100) / 100;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The mean of the lower half: of what other work on the machine only adds to. */
export function lowerHalf(values: readonly number[]): number {
  const half = [...values].sort((one, other) => one - other).slice(0, Math.ceil(values.length / 2));
  return half.reduce((sum, each) => sum + each, 0) / half.length;
}

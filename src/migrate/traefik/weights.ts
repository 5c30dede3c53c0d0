import type { Fields } from '../kit/values.ts';

/** One Service of a rule, with its part of the requests. */
export interface Share {
  readonly ref: Fields;
  /** Numerator and denominator. */
  readonly part: readonly [number, number];
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Parts as weights, in whole numbers as small as they can be. One backend needs none. */
export function weighted(shares: readonly Share[]): readonly Fields[] {
  const [only] = shares;
  if (only === undefined) return [];
  if (shares.length === 1) return [only.ref];
  const common = shares.reduce((all, { part: [, d] }) => (all * d) / divisor(all, d), 1);
  const counts = shares.map(({ part: [n, d] }) => Math.round((n * common) / d));
  const least = counts.reduce(divisor, 0) || 1;
  const scale = Math.max(1, Math.max(...counts) / least / 1_000_000);
  return shares.map(({ ref }, index) => ({ ...ref, weight: Math.round((counts[index] as number) / least / scale) }));
}

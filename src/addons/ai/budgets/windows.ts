import type { ObjectByKind } from '../../../gateway-api/index.ts';
import { micro } from '../prices.ts';

export type TokenPolicy = ObjectByKind['TokenPolicy'];
export type Budget = TokenPolicy['spec']['budgets'][number];
export type Per = Budget['per'];

export const periods: readonly Per[] = ['Minute', 'Hour', 'Day', 'Month'];

/** When the window began that a time is in, and when it ends. Windows are those of UTC. */
export function windowOf(per: Per, now: number): { readonly start: number; readonly end: number } {
  if (per === 'Month') {
    const date = new Date(now);
    const of = (month: number) => Date.UTC(date.getUTCFullYear(), month, 1);
    return { start: of(date.getUTCMonth()), end: of(date.getUTCMonth() + 1) };
  }
  const length = { Minute: 60_000, Hour: 3_600_000, Day: 86_400_000 }[per];
  const start = Math.floor(now / length) * length;
  return { start, end: start + length };
}

/** Its limit, in tokens or nano-dollars. */
export const limitOf = ({ unit, limit }: Budget): number =>
  unit === 'Cost' ? Number(micro(limit) * 1000n) : Number(limit);

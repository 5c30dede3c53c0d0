import type { LimitTake } from '../../src/contracts/index.ts';

/** A question for one request, of an agent that owes nothing; `bucket` has its name, limit, window in milliseconds and burst. */
export const limitTake = (bucket: string, key: string, more: Partial<LimitTake> = {}): LimitTake => ({
  bucket,
  key,
  wanted: 1,
  back: 0,
  owner: '',
  debts: [],
  ...more,
});

import * as z from 'zod';
import { type PickOutcome, pickOutcomes } from '../../traffic/index.ts';
import { count, named, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

const outcomes = object({
  picked: count.describe('The picker named the server.'),
  replaced: count.describe('It named servers of which none could be asked; another one answered.'),
  any: count.describe('The picker failed, and the pool fails open.'),
  failed: count.describe('The picker failed, and no server was asked.'),
  answered: count.describe('The picker answered by itself.'),
  unknown: count.describe('No server answered.'),
} satisfies Record<PickOutcome, typeof count>);

export const picks = named('Picks', 'Which model servers answered requests for InferencePools in a time, and why.', {
  window: object({ from: time, to: time }),
  source: z.enum(['agents', 'none']),
  complete: z.boolean(),
  warnings: z.array(z.string()),
  items: z
    .array(
      named('PoolPicks', 'Which model servers of one InferencePool answered, and why.', {
        namespace: z.string(),
        name: z.string(),
        picker: z
          .string()
          .nullable()
          .describe('`NAMESPACE/NAME` of the Service that is asked; null: the pool is gone, or names none.'),
        requests: count,
        outcomes: outcomes.describe('What became of them.'),
        endpoints: z
          .array(object({ endpoint: z.string(), requests: count, outcomes: outcomes.describe('What became of them.') }))
          .describe('`IP:PORT`, the one that answered most first; at most 100.'),
      }),
    )
    .describe('Pools whose picker was asked, the busiest first.'),
});

/** Of one pool, where it is one thing among others that are shown. */
export const latePicks = z
  .array(object({ outcome: z.enum(pickOutcomes), endpoint: z.string().nullable(), requests: count }))
  .describe('What became of requests in 15 minutes, the most first, at most 5; `/v1/picks` has all.');

export type PicksRecord = Shown<typeof picks>;
export type PoolPicks = PicksRecord['items'][number];
export type LatePicks = Shown<typeof latePicks>;

import * as z from 'zod';
import { count, named, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const replica = named('Replica', 'One control plane as this one sees it.', {
  identity: z.string(),
  address: z.string().nullable().describe('`HOST:PORT` of its admin API; null for this one.'),
  state: z
    .enum(['self', 'connected', 'lost', 'unreachable', 'left'])
    .describe('`lost`: away since a moment; `unreachable`: for longer; `left`: stopped in good order.'),
  snapshotVersion: z.string().nullable(),
  nodeCount: count.describe('How many data planes it lists.'),
  lastHeardAt: time.nullable().describe('When something was heard of it last; null for this one.'),
});

export type ReplicaRecord = Shown<typeof replica>;

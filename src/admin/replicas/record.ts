import * as z from 'zod';
import { count, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** One control plane as this one sees it. */
export const replica = object({
  identity: z.string(),
  // `HOST:PORT` of its admin API; null for this one.
  address: z.string().nullable(),
  // `lost`: away since a moment; `unreachable`: for longer; `left`: stopped in good order.
  state: z.enum(['self', 'connected', 'lost', 'unreachable', 'left']),
  snapshotVersion: z.string().nullable(),
  // How many data planes it lists.
  nodeCount: count,
  // When something was heard of it last; null for this one.
  lastHeardAt: time.nullable(),
});

export type ReplicaRecord = Shown<typeof replica>;

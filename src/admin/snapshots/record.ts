import * as z from 'zod';
import { diff } from '../diff/record.ts';
import { count, flag, named, reference, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const pastSnapshot = named('PastSnapshot', 'A snapshot that this replica published lately.', {
  id: z.string(),
  at: time.describe('When it was published.'),
  changed: z.array(reference).describe('The first 20 objects whose change led to it.'),
  changedCount: count.describe('How many objects changed.'),
  differenceCount: count.describe('How many hosts, backends, listeners and the like differ from the one before.'),
  convergedMs: count
    .nullable()
    .describe(
      'Milliseconds from the first of these changes until all proxies of this replica that they concern had applied the snapshot or a newer one. Null: not yet, or no such proxy was connected.',
    ),
});

export const snapshotDiff = named(
  'SnapshotDiff',
  'How two snapshots differ. `before` and `after` are null where there is nothing.',
  {
    from: z.string(),
    to: z.string(),
    complete: flag.describe('False when a step between them had more differences than are kept.'),
    total: count.describe('How many differences there are, of which `ir` has a page.'),
    ir: diff.shape.ir,
    weaker: diff.shape.weaker.describe(
      'What requests have to show no more, at most `limit`; `route` is `KIND/NAMESPACE/NAME`, or null for all of the Gateway.',
    ),
  },
);

export type PastSnapshotRecord = Shown<typeof pastSnapshot>;

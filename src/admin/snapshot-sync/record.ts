import * as z from 'zod';
import { nodeCounts } from '../nodes/record.ts';
import { answer, count, flag, named, object, time, warning } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const snapshotSync = named('SnapshotSync', 'Whether all data planes run the newest snapshot.', {
  snapshotVersion: z.string().nullable(),
  generatedAt: time.nullable(),
  publishedFor: z.string().nullable().describe('How long the snapshot has been the newest, such as `12s`.'),
  summary: object({ ...nodeCounts, disconnectedNodeCount: count, awaitingReadyNodeCount: count }),
  nodes: z.array(
    object({
      nodeId: z.string(),
      cluster: z.string(),
      gateway: z.string(),
      connected: flag,
      lost: flag,
      ready: flag,
      sync: z.enum(['current', 'drifted']),
      state: z.enum(['snapshot-missing', 'disconnected', 'rejected', 'drifted', 'awaiting-ready', 'current-ready']),
      reason: z.string(),
      message: z.string(),
      lastConfigStatus: answer,
      lastAckVersion: z.string().nullable(),
      lastSentVersion: z.string().nullable(),
      lastNackVersion: z.string().nullable(),
      lastNackNonce: z.string().nullable(),
      lastNackMessage: z.string().nullable(),
      lastSeenAt: time,
      connectedAt: time,
      disconnectedAt: time.nullable(),
      replica: z.string(),
    }),
  ),
  warnings: z.array(warning),
});

export type SnapshotSync = Shown<typeof snapshotSync>;

import * as z from 'zod';
import { count, object, warning } from '../resource/leaves.ts';

const health = z.enum(['healthy', 'degraded', 'failed', 'unknown']);

export const topology = object({
  snapshotVersion: z.string().nullable(),
  nodes: z.array(
    object({
      id: z.string(),
      type: z.enum(['gatewayclass', 'gateway', 'listener', 'route', 'backend', 'endpoints', 'dataplane']),
      label: z.string(),
      namespace: z.string(),
      name: z.string(),
      status: health,
      detail: z.string(),
    }),
  ),
  edges: z.array(
    object({
      source: z.string(),
      target: z.string(),
      type: z.enum(['attach', 'forward', 'mirror', 'resolve', 'serve']),
      weight: count.nullable(),
      status: health,
    }),
  ),
  warnings: z.array(warning),
});

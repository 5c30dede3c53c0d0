import * as z from 'zod';
import { answer, count, flag, named, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const dataPlane = named('DataPlane', "A data plane and where its agent's admin API is.", {
  nodeId: z.string(),
  gateway: z.string(),
  address: z
    .string()
    .nullable()
    .describe('`HOST:PORT`; null when the node did not say that it has one, as an Envoy without an agent.'),
  url: z.string().nullable(),
  ready: flag,
  version: z.string(),
});

export type DataPlaneRecord = Shown<typeof dataPlane>;

const quantile = z.number().min(0).nullable();

export const dataPlaneSummary = named('DataPlaneSummary', 'What the agent of a data plane says now.', {
  nodeId: z.string(),
  gateway: z.string(),
  address: z.string(),
  status: object({
    ready: flag,
    readyMessage: z.string().nullable(),
    version: z.string(),
    uptimeSeconds: count,
    configVersion: z.string().nullable(),
    configAppliedAt: time.nullable(),
    serving: z.enum(['none', 'current', 'cached', 'last_good']),
    listeners: z.array(object({ name: z.string(), address: z.string(), protocol: z.string(), active: flag })),
    envoy: object({ version: z.string(), state: z.string(), pid: count.nullable(), restarts: count }),
  }),
  connections: object({ active: count, perSecond: z.number().min(0), total: count, errors: count }),
  xds: object({
    connected: flag,
    controlPlaneAddress: z.string(),
    connectedSince: time.nullable(),
    lastConfigVersion: z.string().nullable(),
    lastConfigNonce: z.string().nullable(),
    lastConfigStatus: answer,
    streamReconnects: count,
  }),
  backends: object({ healthy: count, unhealthy: count }),
  traffic: object({
    requests: count,
    '1xx': count,
    '2xx': count,
    '3xx': count,
    '4xx': count,
    '5xx': count,
    p50: quantile,
    p95: quantile,
    p99: quantile,
    bytesIn: count,
    bytesOut: count,
  }),
});

export type DataPlaneSummary = Shown<typeof dataPlaneSummary>;

import * as z from 'zod';
import { nodeCounts } from '../nodes/record.ts';
import { count, flag, object, time, warning } from '../resource/leaves.ts';

export const summary = object({
  snapshotVersion: z.string().nullable(),
  generatedAt: time.nullable(),
  gatewayCount: count,
  listenerCount: count,
  routeCount: count,
  httpRouteCount: count,
  grpcRouteCount: count,
  tcpRouteCount: count,
  udpRouteCount: count,
  tlsRouteCount: count,
  backendCount: count,
  endpointCount: count,
  healthyEndpointCount: count,
  secretCount: count,
  ...nodeCounts,
  readyListenerCount: count,
  warningListenerCount: count,
  failedListenerCount: count,
  notAcceptedRouteCount: count,
  expiringCertificateCount: count,
  leader: object({ identity: z.string(), isLeader: flag }),
  version: z.string(),
  warnings: z.array(warning),
});

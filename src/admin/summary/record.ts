import * as z from 'zod';
import { nodeCounts } from '../nodes/record.ts';
import { count, flag, object, time, warning } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** The state of everything in numbers. Endpoints are those that proxies are sent; healthy ones take new requests. */
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
  // TCP, UDP and TLS together.
  streamRouteCount: count,
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
  // Of the control plane.
  version: z.string(),
  warnings: z.array(warning),
});

export type Summary = Shown<typeof summary>;

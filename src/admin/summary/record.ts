import * as z from 'zod';
import { nodeCounts } from '../nodes/record.ts';
import { count, flag, named, object, time, warning } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const summary = named(
  'Summary',
  'The state of everything in numbers. Endpoints are those that proxies are sent; healthy ones take new requests.',
  {
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
    streamRouteCount: count.describe('TCP, UDP and TLS together.'),
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
    version: z.string().describe('Of the control plane.'),
    warnings: z.array(warning),
  },
);

export type Summary = Shown<typeof summary>;

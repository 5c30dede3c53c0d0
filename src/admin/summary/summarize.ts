import { type GatewayStatus, keyOf } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import type * as ir from '../../ir/index.ts';
import { certificateFacts } from '../certificates/certificate-facts.ts';
import { expiryWarningDays } from '../certificates/certificate-state.ts';
import { listAuthorities } from '../certificates/list-certificates.ts';
import { listGateways } from '../gateways/gateway-record.ts';
import { countNodes } from '../nodes/node-sync.ts';
import { ofClasses } from '../problems/of-classes.ts';
import { ofFiles } from '../problems/of-files.ts';
import { type ListenerState, listenerState } from '../resource/conditions.ts';
import { timeTextOrNull } from '../resource/leaves.ts';
import { type RouteKind, routeKinds } from '../routes/route-kinds.ts';
import { countRoutes } from '../routes/route-record.ts';
import { snapshotTotals } from '../snapshot/snapshot-totals.ts';
import type { AdminSources } from '../sources.ts';
import type { Summary } from './record.ts';
import { counted, firstOf, lostNodes, rejections, snapshotMissing } from './warnings.ts';

/** From counters; conditions of listeners, and certificates, are looked at one by one, for there are few. */
export function summarize(sources: AdminSources): Summary {
  const { graph, leadership, now, version, replicas } = sources;
  const snapshot = graph.snapshot();
  const nodes = sources.nodes.list();
  const { disconnectedNodeCount: _, awaitingReadyNodeCount: __, ...nodeCounts } = countNodes(nodes, snapshot?.id);
  const gateways = countGateways(graph);
  const { failed: notAcceptedRouteCount, degraded: degradedRouteCount } = graph.unservedRoutes();
  const expiringCertificateCount = snapshot === undefined ? 0 : countExpiring(graph, snapshot, now());
  return {
    snapshotVersion: snapshot?.id ?? null,
    generatedAt: timeTextOrNull(snapshot?.generatedAt),
    ...gateways,
    ...countRoutesByKind(graph),
    ...countSnapshot(snapshot),
    ...nodeCounts,
    notAcceptedRouteCount,
    expiringCertificateCount,
    leader: leadership(),
    version,
    warnings: [
      ...(snapshot === undefined ? [snapshotMissing] : []),
      ...rejections(nodes, snapshot?.id),
      ...lostNodes(nodes, graph).map(({ code, message }) => ({ code, message })),
      ...replicas.warnings(),
      ...sources.unreadable(),
      ...sources.stores(),
      ...firstOf(ofFiles(sources)),
      ...firstOf(ofClasses(sources)),
      ...counted('listener_failed', gateways.failedListenerCount, 'listener is not served', 'listeners are not served'),
      ...counted('route_not_accepted', notAcceptedRouteCount, 'route is not accepted', 'routes are not accepted'),
      ...counted(
        'route_degraded',
        degradedRouteCount,
        'route is served in part: rules were dropped, or references do not resolve',
        'routes are served in part: rules were dropped, or references do not resolve',
      ),
      ...counted(
        'certificate_expiring',
        expiringCertificateCount,
        `certificate ends within ${expiryWarningDays} days or has ended`,
        `certificates end within ${expiryWarningDays} days or have ended`,
      ),
    ],
  };
}

type GatewayCounts = Pick<
  Summary,
  'gatewayCount' | 'listenerCount' | 'readyListenerCount' | 'warningListenerCount' | 'failedListenerCount'
>;

function countGateways(graph: GraphView): GatewayCounts {
  const states: Record<ListenerState, number> = { ready: 0, warning: 0, failed: 0 };
  let gatewayCount = 0;
  const count = ({ listeners }: Pick<GatewayStatus, 'listeners'>) => {
    for (const { conditions } of listeners) states[listenerState(conditions)]++;
  };
  for (const { status } of listGateways(graph)) {
    gatewayCount++;
    count(status);
  }
  for (const set of graph.list('ListenerSet')) {
    const status = graph.statusOf('ListenerSet', keyOf(set));
    if (status?.kind === 'ListenerSet') count(status);
  }
  return {
    gatewayCount,
    listenerCount: states.ready + states.warning + states.failed,
    readyListenerCount: states.ready,
    warningListenerCount: states.warning,
    failedListenerCount: states.failed,
  };
}

/** Routes of connections, not of requests. */
const streamKinds: readonly RouteKind[] = ['TCPRoute', 'UDPRoute', 'TLSRoute'];

function countRoutesByKind(graph: GraphView) {
  const count = (kind: RouteKind): number => countRoutes(graph, kind);
  return {
    routeCount: routeKinds.reduce((sum, { kind }) => sum + count(kind), 0),
    httpRouteCount: count('HTTPRoute'),
    grpcRouteCount: count('GRPCRoute'),
    tcpRouteCount: count('TCPRoute'),
    udpRouteCount: count('UDPRoute'),
    tlsRouteCount: count('TLSRoute'),
    streamRouteCount: streamKinds.reduce((sum, kind) => sum + count(kind), 0),
  };
}

function countSnapshot(snapshot: ir.Snapshot | undefined) {
  if (snapshot === undefined) return { backendCount: 0, endpointCount: 0, healthyEndpointCount: 0, secretCount: 0 };
  const { healthyEndpoints, secrets } = snapshotTotals(snapshot);
  return {
    backendCount: snapshot.counts.backends,
    endpointCount: snapshot.counts.endpoints,
    healthyEndpointCount: healthyEndpoints,
    secretCount: secrets.size,
  };
}

function countExpiring(graph: GraphView, snapshot: ir.Snapshot, now: Date): number {
  const limit = now.getTime() + expiryWarningDays * 86_400_000;
  const all = [
    ...snapshotTotals(snapshot).secrets.values().map(certificateFacts),
    ...listAuthorities({ graph }).map(({ facts }) => facts),
  ];
  return countWhere(all, (facts) => facts !== undefined && facts.notAfter.getTime() <= limit);
}

function countWhere<T>(items: Iterable<T>, test: (item: T) => boolean): number {
  let count = 0;
  for (const item of items) if (test(item)) count++;
  return count;
}

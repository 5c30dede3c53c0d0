import { keyOf, type ObjectByKind, type ServicePort } from '../../gateway-api/index.ts';
import type { GraphView, ObjectReference } from '../../graph/index.ts';
import type { FindSlices } from '../backends/endpoint-records.ts';
import type { ServiceRecord } from './record.ts';

type Service = ObjectByKind['Service'];

export const serviceRecord = (
  service: Service,
  { graph, slicesOf }: { readonly graph: GraphView; readonly slicesOf: FindSlices },
): ServiceRecord => ({
  namespace: service.metadata.namespace ?? '',
  name: service.metadata.name,
  type: service.spec.type ?? 'ClusterIP',
  ports: (service.spec.ports ?? []).map(portRecord),
  endpoints: countAddresses(slicesOf(keyOf(service))),
  referencedBy: referrers(service, graph),
});

// The API server fills in what a file may leave out.
const portRecord = ({ name, port, protocol = 'TCP', appProtocol, targetPort = port }: ServicePort) => ({
  name: name ?? null,
  port,
  protocol,
  appProtocol: appProtocol ?? null,
  targetPort,
});

function countAddresses(slices: ReturnType<FindSlices>): ServiceRecord['endpoints'] {
  const ready = new Map<string, boolean>();
  for (const { endpoints } of slices) {
    for (const { addresses, conditions } of endpoints ?? []) {
      // discovery.k8s.io/v1: `ready` missing means true.
      for (const address of addresses) ready.set(address, (ready.get(address) ?? false) || (conditions?.ready ?? true));
    }
  }
  return { ready: [...ready.values()].filter(Boolean).length, total: ready.size };
}

function referrers(service: Service, graph: GraphView): ObjectReference[] {
  const found = new Map<string, ObjectReference>();
  for (const { port, protocol } of service.spec.ports ?? []) {
    const key = `${keyOf(service)}/${port}${protocol === 'UDP' ? '/udp' : ''}`;
    for (const route of graph.routesOfBackend(key)) {
      found.set([route.namespace, route.name, route.kind].join('\u0000'), route);
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, route]) => route);
}

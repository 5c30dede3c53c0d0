import { type GatewayStatus, keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import type { AdminSources } from '../sources.ts';
import type { GatewayRecord } from './record.ts';

type GatewayObject = ObjectByKind['Gateway'];

/** A Gateway of ours and its desired status. */
export interface OurGateway {
  readonly gateway: GatewayObject;
  readonly status: GatewayStatus;
}

/** The Gateways that are ours, which is to say that have a desired status. */
export function* listGateways(graph: GraphView): Generator<OurGateway> {
  for (const gateway of graph.list('Gateway')) {
    const status = graph.statusOf('Gateway', keyOf(gateway));
    if (status?.kind === 'Gateway') yield { gateway, status };
  }
}

export function findGateway(graph: GraphView, key: string): OurGateway | undefined {
  const gateway = graph.find('Gateway', key);
  const status = graph.statusOf('Gateway', key);
  return gateway !== undefined && status?.kind === 'Gateway' ? { gateway, status } : undefined;
}

export function gatewayRecord(
  { gateway, status }: OurGateway,
  { nodes, graph }: Pick<AdminSources, 'nodes' | 'graph'>,
): GatewayRecord {
  const fleet = graph.fleetOf(keyOf(gateway));
  const statusByName = new Map(status.listeners.map((listener) => [listener.name, listener]));
  return {
    namespace: gateway.metadata.namespace ?? '',
    name: gateway.metadata.name,
    gatewayClass: gateway.spec.gatewayClassName,
    addresses: status.addresses,
    listeners: (gateway.spec.listeners ?? []).map(({ name, port, protocol, hostname }) => ({
      name,
      port,
      protocol,
      hostname: hostname ?? null,
      attachedRoutes: statusByName.get(name)?.attachedRoutes ?? 0,
      conditions: statusByName.get(name)?.conditions ?? [],
    })),
    attachedRoutes: graph.attachedRoutes(keyOf(gateway)),
    conditions: status.conditions,
    clients: nodes
      .list()
      .filter((node) => node.gateway === fleet)
      .map(({ nodeId }) => nodeId)
      .sort(),
  };
}

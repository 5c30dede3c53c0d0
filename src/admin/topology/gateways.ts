import { type Condition, keyOf, namespaceOfKey } from '../../gateway-api/index.ts';
import { listGateways } from '../gateways/gateway-record.ts';
import { nodeSync } from '../nodes/node-sync.ts';
import { listenerState } from '../resource/conditions.ts';
import type { AdminSources } from '../sources.ts';
import { statusOfWorst } from './judge.ts';
import { ids, type TopologyParts } from './parts.ts';
import type { TopologyStatus } from './record.ts';

/** Our classes and Gateways with their listeners and data planes. */
export function addGateways({ nodes, edges }: TopologyParts, sources: AdminSources): void {
  const { graph } = sources;
  for (const object of graph.list('GatewayClass')) {
    const status = graph.statusOf('GatewayClass', keyOf(object));
    if (status?.kind !== 'GatewayClass') continue;
    const { name } = object.metadata;
    const id = ids.gatewayClass(name);
    nodes.set(id, {
      id,
      type: 'gatewayclass',
      label: name,
      namespace: '',
      name,
      ...judged(status.conditions, 'Accepted'),
    });
  }
  for (const { gateway, status } of listGateways(graph)) {
    const { name, namespace = '' } = gateway.metadata;
    const id = ids.gateway(keyOf(gateway));
    const judgement = judged(status.conditions, 'Programmed');
    nodes.set(id, { id, type: 'gateway', label: name, namespace, name, ...judgement });
    const source = ids.gatewayClass(gateway.spec.gatewayClassName);
    edges.push({ source, target: id, type: 'attach', weight: null, status: judgement.status });
  }
  addListeners({ nodes, edges }, sources);
  addDataPlanes({ nodes, edges }, sources);
}

function addListeners({ nodes, edges }: TopologyParts, { graph }: AdminSources): void {
  for (const { name, gateway, section, port, protocol, hostname, conditions } of graph.listeners()) {
    const id = ids.listener(name);
    const status = statusOfListener[listenerState(conditions)];
    const detail =
      statusOfWorst(conditions).detail || `${protocol} ${port}${hostname === undefined ? '' : ` ${hostname}`}`;
    nodes.set(id, { id, type: 'listener', label: section, namespace: gateway.namespace, name, status, detail });
    const source = ids.gateway(`${gateway.namespace}/${gateway.name}`);
    edges.push({ source, target: id, type: 'attach', weight: null, status });
  }
}

const statusOfListener = { ready: 'healthy', warning: 'degraded', failed: 'failed' } as const;

function addDataPlanes({ nodes, edges }: TopologyParts, { graph, nodes: dataPlanes }: AdminSources): void {
  const snapshotId = graph.snapshot()?.id;
  for (const node of dataPlanes.list()) {
    const { nodeId, gateway, connected } = node;
    const { state, message } = nodeSync(node, snapshotId);
    const id = nodes.has(ids.dataPlane(nodeId)) ? ids.dataPlane(`${gateway}/${nodeId}`) : ids.dataPlane(nodeId);
    const status: TopologyStatus = state === 'current-ready' ? 'healthy' : connected ? 'degraded' : 'failed';
    const namespace = namespaceOfKey(gateway);
    nodes.set(id, { id, type: 'dataplane', label: nodeId, namespace, name: nodeId, status, detail: message });
    const served = [...graph.gatewaysOf(gateway)];
    for (const key of served.length > 0 ? served : [gateway])
      edges.push({ source: id, target: ids.gateway(key), type: 'serve', weight: null, status });
  }
}

/** By the condition that says whether it is served, and then by the worst one. */
function judged(conditions: readonly Condition[], type: string) {
  const condition = conditions.find((candidate) => candidate.type === type);
  if (condition === undefined || condition.status === 'Unknown')
    return { status: 'unknown', detail: condition?.message ?? `no condition ${type} yet` } as const;
  return statusOfWorst(conditions);
}

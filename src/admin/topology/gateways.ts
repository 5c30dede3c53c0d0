import { type Condition, keyOf } from '../../gateway-api/index.ts';
import { listGateways } from '../gateways/gateway-record.ts';
import { nodeSync } from '../nodes/node-sync.ts';
import { isTrue, listenerState } from '../resource/conditions.ts';
import type { AdminSources } from '../sources.ts';
import { ids, type TopologyParts, type TopologyStatus } from './parts.ts';

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
    const detail = faultOf(conditions) ?? `${protocol} ${port}${hostname === undefined ? '' : ` ${hostname}`}`;
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
    const namespace = gateway.slice(0, Math.max(0, gateway.indexOf('/')));
    nodes.set(id, { id, type: 'dataplane', label: nodeId, namespace, name: nodeId, status, detail: message });
    const served = [...graph.gatewaysOf(gateway)];
    for (const key of served.length > 0 ? served : [gateway])
      edges.push({ source: id, target: ids.gateway(key), type: 'serve', weight: null, status });
  }
}

/** Healthy when the condition is True, failed when it is False. */
function judged(conditions: readonly Condition[], type: string) {
  if (isTrue(conditions, type)) return { status: 'healthy', detail: '' } as const;
  const condition = conditions.find((candidate) => candidate.type === type);
  const status: TopologyStatus = condition?.status === 'False' ? 'failed' : 'unknown';
  return { status, detail: condition?.message ?? `no condition ${type} yet` };
}

/** The message of the first condition that should be True and is not. */
const faultOf = (conditions: readonly Condition[]): string | undefined =>
  conditions.find(({ type, status }) => ['Accepted', 'Programmed', 'ResolvedRefs'].includes(type) && status !== 'True')
    ?.message;

import { counted } from '../../std/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { age, shortId } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';
import { attempt } from './attempt.ts';
import type { Found } from './find-object.ts';
import { eventSection, problemSection } from './history.ts';
import { type Description, type Section, section } from './section.ts';

/** A data plane: what it has, what it rejects, and what its agent says of its Envoy. */
export async function describeNode(client: AdminClient, found: Found, now: Date): Promise<Description> {
  const { name } = found;
  const id = encodeURIComponent(name);
  const [node, sync] = await Promise.all([
    client.get<Wire['node']>(`/v1/nodes/${id}`),
    client.get<Wire['sync']>('/v1/snapshot-sync'),
  ]);
  const entry = sync.nodes.find(({ nodeId, gateway }) => nodeId === name && gateway === node.gateway);
  const sections = await Promise.all([
    rejectionSection(node, now),
    attempt('envoy', () => envoySection(client, id)),
    problemSection(client, [`Node//${name}`]),
    eventSection(client, (event) => event.nodeId === name, now),
  ]);
  const facts = {
    gateway: node.gateway,
    peer: node.peer,
    connected: node.connected
      ? `for ${age(node.connectedAt, now)}, to ${node.replica}`
      : `no: lost for ${age(node.disconnectedAt, now)}${node.disconnectReason === null ? '' : ` (${node.disconnectReason})`}`,
    applied: `${shortId(node.lastAckVersion) || 'nothing'}, the newest is ${shortId(sync.snapshotVersion) || 'none yet'}`,
    versions: `agent ${node.version || 'unknown'}, Envoy ${node.envoyVersion || 'unknown'}`,
  };
  const isWell = entry?.state === 'current-ready';
  const state = entry === undefined ? 'not known' : `${entry.state}${isWell ? '' : `, ${entry.message}`}`;
  return { kind: 'Node', namespace: '', name, state, isWell, facts, sections };
}

function rejectionSection({ refusals, refusalCount }: Wire['node'], now: Date): Section {
  const lines = refusals.flatMap(({ kind, key, message, since, heldBackFrom }) => [
    `${kind} ${key}, for ${age(since, now)}, held back from ${heldBackFrom === 'fleet' ? 'all proxies of the Gateway' : 'this one alone'}`,
    `    Envoy says: ${message}`,
  ]);
  const more = refusalCount - refusals.length;
  return section(
    'rejects',
    refusals,
    lines.length === 0 ? ['nothing'] : [...lines, ...(more > 0 ? [`… and ${more} more`] : [])],
  );
}

async function envoySection(client: AdminClient, id: string): Promise<Section> {
  const summary = await client.get<Wire['dataPlaneSummary']>(`/v1/dataplanes/${id}/summary`);
  const { status, connections, backends, traffic } = summary;
  return section('envoy', summary, [
    `${status.envoy.state}${status.envoy.pid === null ? '' : `, process ${status.envoy.pid}`}, ${counted(status.envoy.restarts, 'restart')}, serves ${status.serving} configuration${status.readyMessage === null ? '' : `: ${status.readyMessage}`}`,
    ...status.listeners.map(
      ({ name, address, active }) => `listener ${name} at ${address}${active ? '' : ', not open'}`,
    ),
    `${connections.active} connections open, ${connections.errors} failed`,
    `${counted(traffic.requests, 'request')}, of them ${traffic['5xx']} answered 5xx and ${traffic['4xx']} answered 4xx`,
    `endpoints: ${backends.healthy} healthy, ${backends.unhealthy} not`,
  ]);
}

import { bracketed } from '../../config/index.ts';
import type { NodeView } from '../../xds/index.ts';
import type { DataPlaneRecord } from './record.ts';

export function dataPlaneRecord(node: NodeView): DataPlaneRecord {
  const address = agentAddress(node) ?? null;
  return {
    nodeId: node.nodeId,
    gateway: node.gateway,
    address,
    url: address && `http://${address}`,
    ready: node.ready,
    version: node.version,
  };
}

/**
 * `HOST:PORT` of the agent's admin API: the host that the stream comes from, so that no node can send us elsewhere, and the
 * port that the node says. Undefined when it says none.
 */
export function agentAddress({ peer, adminPort }: NodeView): string | undefined {
  const host = hostOfPeer(peer);
  return adminPort === undefined || host === undefined ? undefined : `${bracketed(host)}:${adminPort}`;
}

/** `ADDRESS:PORT`, with IPv6 addresses bare or in brackets, those of IPv4 in them as what they are. */
function hostOfPeer(peer: string): string | undefined {
  const host = /^\[?(?<host>[0-9a-fA-F.:]+?)\]?:\d+$/.exec(peer)?.groups?.host;
  return host?.replace(/^::ffff:(?=\d+\.)/i, '');
}

import { typeUrls } from '../../envoy/index.ts';
import type { NodeRecord } from '../nodes/record.ts';
import type { Shown } from '../resource/shown.ts';
import type { client } from './schemas.ts';

/** The contract's words for what a client subscribes to. Scoped routes and virtual hosts are how http_routes travel; extensions are filters of listeners. */
const groups: Readonly<Record<string, string>> = {
  [typeUrls.listener]: 'listeners',
  [typeUrls.route]: 'http_routes',
  [typeUrls.scopedRoute]: 'http_routes',
  [typeUrls.virtualHost]: 'http_routes',
  [typeUrls.extension]: 'listeners',
  [typeUrls.cluster]: 'backends',
  [typeUrls.endpoint]: 'endpoints',
  [typeUrls.secret]: 'secrets',
  [typeUrls.snapshot]: 'snapshot',
};

/** A data plane as the contract's xDS client. Strings are empty until the client has answered something. */
export const presentClient = (node: NodeRecord): Shown<typeof client> => ({
  node_id: node.nodeId,
  cluster: node.cluster,
  version: node.version,
  connected_since: node.connectedAt,
  last_config_version: node.lastConfigVersion ?? '',
  last_config_nonce: node.lastNonce ?? '',
  last_config_status: node.lastConfigStatus,
  subscriptions: [...new Set(node.subscriptions.map((typeUrl) => groups[typeUrl] ?? typeUrl))],
  connected: node.connected,
  lost: node.lost,
  gateway: node.gateway,
  stream: node.stream,
  last_nack_message: node.lastNackMessage,
  refusals: node.refusals.map(({ resourceType, heldBackFrom, ...rejection }) => ({
    ...rejection,
    resource_type: resourceType,
    held_back_from: heldBackFrom,
  })),
  refusal_count: node.refusalCount,
});

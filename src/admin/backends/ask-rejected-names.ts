import * as z from 'zod';
import type * as ir from '../../ir/index.ts';
import type { NodeView } from '../../xds/index.ts';
import { askAgentFor } from '../dataplanes/agent-client.ts';
import { agentAddress } from '../dataplanes/dataplane-record.ts';
import type { AdminSources } from '../sources.ts';
import type { RejectedNames } from './backend-record.ts';

const report = z.object({ names: z.array(z.object({ name: z.string(), message: z.string() })) });

/** Proxies of one Gateway ask the same name servers: one of each is enough, and of so many. */
const mostAsked = 10;

/**
 * Why hosts of these backends lead nowhere, in the words of the data planes that resolve them. No data plane is asked where no backend has a host;
 * a data plane that does not answer is passed by.
 */
export async function askRejectedNames(backends: readonly ir.Backend[], sources: AdminSources): Promise<RejectedNames> {
  if (!backends.some(({ hostname }) => hostname !== undefined)) return new Map();
  const connected = [...sources.nodes.list()].filter((node) => node.connected && agentAddress(node) !== undefined);
  const asked = [...new Map(connected.map((node) => [node.gateway, node])).values()].slice(0, mostAsked);
  const reports = await Promise.allSettled(asked.map(async (node) => report.parse(await askNames(node, sources))));
  const found = reports.flatMap((each) => (each.status === 'fulfilled' ? each.value.names : []));
  return new Map(found.map(({ name, message }) => [name, message]));
}

/** The replica that an agent is connected to has its token. */
function askNames(node: NodeView, { agentTimeoutMs, replicas }: AdminSources): Promise<unknown> {
  const { nodeId, cluster, replica, reportToken: token } = node;
  if (replica === undefined)
    return askAgentFor({ address: agentAddress(node) ?? '', token }, 'stats/names', agentTimeoutMs);
  const query = new URLSearchParams({ gateway: cluster });
  const path = `/v1/dataplanes/${encodeURIComponent(nodeId)}/reports/names?${query}`;
  return replicas.ask(replica, path, agentTimeoutMs);
}

import * as z from 'zod';
import type * as ir from '../ir/index.ts';
import { askAgentFor } from './agent-client.ts';
import { agentAddress, type RefusedNames, type World } from './read-model/index.ts';

const report = z.object({ names: z.array(z.object({ name: z.string(), message: z.string() })) });

/** Proxies of one Gateway ask the same name servers: one of each is enough, and of so many. */
const mostAsked = 10;

/**
 * Why hosts of these backends lead nowhere, in the words of the data planes that resolve them. Nobody is asked where no backend has a host;
 * a data plane that does not answer is passed by.
 */
export async function askRefusedNames(
  backends: readonly ir.Backend[],
  { nodes, agentTimeoutMs }: Pick<World, 'nodes' | 'agentTimeoutMs'>,
): Promise<RefusedNames> {
  if (!backends.some(({ hostname }) => hostname !== undefined)) return new Map();
  const connected = [...nodes.list()].filter((node) => node.connected && agentAddress(node) !== undefined);
  const asked = [...new Map(connected.map((node) => [node.gateway, node])).values()].slice(0, mostAsked);
  const reports = await Promise.allSettled(
    asked.map(async (node) => report.parse(await askAgentFor(agentAddress(node) ?? '', 'stats/names', agentTimeoutMs))),
  );
  const found = reports.flatMap((each) => (each.status === 'fulfilled' ? each.value.names : []));
  return new Map(found.map(({ name, message }) => [name, message]));
}

import type { RouterContext } from '@koa/router';
import type { NodeView } from '../../xds/index.ts';
import { HttpError, LazyList } from '../http/index.ts';
import { redacted } from '../http/redacted.ts';
import { nodeListOf } from '../nodes/list.ts';
import { type Endpoint, list, ofNode } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { type AgentPlace, askAgent, askAgentFor } from './agent-client.ts';
import { agentAddress, dataPlaneRecord } from './dataplane-record.ts';

/** What replicas send when they ask for what another one knows. */
const fromReplicaHeader = 'X-Gatewright-From-Replica';
/** What the way by another replica may take beyond the agent's own answer. */
const forwardMs = 500;

/** `/v1/dataplanes` and what the agent of one says. */
export const dataPlaneEndpoints = (sources: AdminSources): readonly Endpoint[] => [
  list('/v1/dataplanes', nodeListOf(sources.graph), {
    entries: () => sources.nodes.list(),
    present: (page) => new LazyList(page, dataPlaneRecord),
  }),
  ofNode('/v1/dataplanes/:nodeId/summary', sources, (node, _params, ctx) => {
    const timeoutMs = sources.agentTimeoutMs;
    return whereItIs({ node, path: 'summary', timeoutMs, sources, ctx }, async (agent) => {
      const { nodeId, gateway } = node;
      const { address } = agent;
      return { nodeId, gateway, address, ...(await asked(nodeId, address, askAgent(agent, timeoutMs))) };
    });
  }),
  ofNode('/v1/dataplanes/:nodeId/reports/:report', sources, (node, { report = '' }, ctx) => {
    const path = agentReports.get(report);
    const known = [...agentReports.keys()].join(', ');
    if (path === undefined) throw new HttpError('not_found', `there is no report ${report}; there are ${known}`);
    // A dump grows with what Envoy holds, and is worth a wait.
    const timeoutMs = sources.agentTimeoutMs * 5;
    return whereItIs({ node, path: `reports/${report}`, timeoutMs, sources, ctx }, async (agent) =>
      redacted(await asked(node.nodeId, agent.address, askAgentFor(agent, path, timeoutMs))),
    );
  }),
];

/** What an agent can be asked for through the control plane, and where it has it. */
export const agentReports: ReadonlyMap<string, string> = new Map([
  ['status', 'status'],
  ['config', 'config'],
  ['config-dump', 'config?raw=true'],
  ['config-version', 'config/version'],
  ['stats', 'stats'],
  ['connections', 'stats/connections'],
  ['backends', 'stats/backends'],
  ['names', 'stats/names'],
  ['xds', 'xds/status'],
]);

interface Question {
  readonly node: NodeView;
  /** Behind `/v1/dataplanes/NODE/`. */
  readonly path: string;
  readonly timeoutMs: number;
  readonly sources: AdminSources;
  readonly ctx: RouterContext;
}

/**
 * An agent is asked by the replica that it is connected to, which has its token; so another replica asks that one. Throws a 502 for
 * an agent that cannot be asked.
 */
async function whereItIs(
  { node, path, timeoutMs, sources, ctx }: Question,
  own: (agent: AgentPlace) => Promise<unknown>,
): Promise<unknown> {
  const { nodeId, cluster, replica } = node;
  const agent = placeOf(node);
  if (replica === undefined) return await own(agent);
  if (ctx.get(fromReplicaHeader) !== '') throw unreachable(nodeId, `it is connected to replica ${replica}`);
  const query = new URLSearchParams({ gateway: cluster });
  const there = `/v1/dataplanes/${encodeURIComponent(nodeId)}/${path}?${query}`;
  return await asked(nodeId, `replica ${replica}`, sources.replicas.ask(replica, there, timeoutMs + forwardMs));
}

/** The agent's admin API. Throws a 502 when it has none. */
function placeOf(node: NodeView): AgentPlace {
  if (!node.connected) throw unreachable(node.nodeId, 'it is not connected');
  const address = agentAddress(node);
  if (address === undefined) throw unreachable(node.nodeId, 'it did not say where its admin API is');
  return { address, token: node.reportToken };
}

const asked = <T>(nodeId: string, address: string, answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw unreachable(nodeId, `${address}: ${error instanceof Error ? error.message : String(error)}`);
  });

const unreachable = (nodeId: string, why: string): HttpError =>
  new HttpError('dataplane_unreachable', `the agent of data plane ${nodeId} cannot be asked: ${why}`);

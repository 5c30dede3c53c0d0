import type { RouterContext } from '@koa/router';
import * as z from 'zod';
import type { NodeView } from '../../xds/index.ts';
import { HttpError, redacted } from '../http/index.ts';
import { getNode, whichNode } from '../nodes/get-node.ts';
import { nodeList } from '../nodes/index.ts';
import { type Asked, type Endpoints, get } from '../resource/endpoint.ts';
import { resource } from '../resource/resource.ts';
import type { Shown } from '../resource/shown.ts';
import type { AdminSources } from '../sources.ts';
import { type AgentPlace, askAgent, askAgentFor } from './agent-client.ts';
import { agentAddress, dataPlaneRecord } from './dataplane-record.ts';
import { dataPlane, dataPlaneSummary } from './record.ts';

/** What replicas send when they ask for what another one knows. */
const fromReplicaHeader = 'X-Gatewright-From-Replica';
/** What the way by another replica may take beyond the agent's own answer. */
const forwardMs = 500;

/** What an agent can be asked for through the control plane, and where it has it. */
const agentReports: ReadonlyMap<string, string> = new Map([
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

const reportNames = [...agentReports.keys()].join(', ');

const list = resource({
  path: '/v1/dataplanes',
  // Known by their streams.
  needsSync: false,
  summary: 'Data planes and where their agents are',
  record: dataPlane,
  list: nodeList,
  present: () => dataPlaneRecord,
});

/** `/v1/dataplanes` and what the agent of one says. */
export const dataPlanes: Endpoints<AdminSources> = {
  endpoints: [
    ...list.endpoints,
    get({
      path: '/v1/dataplanes/:nodeId/summary',
      summary: 'What the agent of a data plane says now',
      answer: dataPlaneSummary,
      query: whichNode('data planes'),
      errors: ['query_invalid', 'node_not_found', 'dataplane_unreachable'],
      handle: (asked, sources: AdminSources) => summaryOf(getNodeOf(asked, sources), sources, asked.ctx),
    }),
    get({
      path: '/v1/dataplanes/:nodeId/reports/:report',
      summary: `What the agent of a data plane answers itself, in the words of Layout 2: ${reportNames}`,
      answer: z.unknown(),
      query: whichNode('data planes'),
      errors: ['query_invalid', 'not_found', 'node_not_found', 'dataplane_unreachable'],
      handle: (asked, sources: AdminSources) =>
        reportOf(getNodeOf(asked, sources), asked.params.report, sources, asked.ctx),
    }),
  ],
};

const getNodeOf = ({ params, query }: Asked<`${string}/:nodeId/${string}`>, sources: AdminSources): NodeView =>
  getNode({ nodeId: params.nodeId, gateway: query.get('gateway') }, sources);

type Summary = Shown<typeof dataPlaneSummary>;

function summaryOf(node: NodeView, sources: AdminSources, ctx: RouterContext): Promise<Summary> {
  const timeoutMs = sources.agentTimeoutMs;
  return whereItIs<Summary>({ node, path: 'summary', timeoutMs, sources, ctx }, async (agent) => {
    const { nodeId, gateway } = node;
    const { address } = agent;
    // An agent of another version may have other words.
    return { nodeId, gateway, address, ...(await asked(nodeId, address, askAgent(agent, timeoutMs))) } as Summary;
  });
}

function reportOf(node: NodeView, report: string, sources: AdminSources, ctx: RouterContext): Promise<unknown> {
  const path = agentReports.get(report);
  if (path === undefined) throw new HttpError('not_found', `there is no report ${report}; there are ${reportNames}`);
  // A dump grows with what Envoy holds, and is worth a wait.
  const timeoutMs = sources.agentTimeoutMs * 5;
  return whereItIs({ node, path: `reports/${report}`, timeoutMs, sources, ctx }, async (agent) =>
    redacted(await asked(node.nodeId, agent.address, askAgentFor(agent, path, timeoutMs))),
  );
}

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
async function whereItIs<T>(
  { node, path, timeoutMs, sources, ctx }: Question,
  own: (agent: AgentPlace) => Promise<T>,
): Promise<T> {
  const { nodeId, cluster, replica } = node;
  const agent = placeOf(node);
  if (replica === undefined) return await own(agent);
  if (ctx.get(fromReplicaHeader) !== '') throw unreachable(nodeId, `it is connected to replica ${replica}`);
  const query = new URLSearchParams({ gateway: cluster });
  const there = `/v1/dataplanes/${encodeURIComponent(nodeId)}/${path}?${query}`;
  return (await asked(nodeId, `replica ${replica}`, sources.replicas.ask(replica, there, timeoutMs + forwardMs))) as T;
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

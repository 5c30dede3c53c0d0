import { Readable } from 'node:stream';
import type { RouterContext } from '@koa/router';
import * as z from 'zod';
import type { NodeView } from '../../xds/index.ts';
import { HttpError, redacted, redactedJson } from '../http/index.ts';
import { getNode, whichNode } from '../nodes/get-node.ts';
import { nodeList } from '../nodes/index.ts';
import { type Asked, type Endpoints, get } from '../resource/endpoint.ts';
import { resource } from '../resource/resource.ts';
import type { Shown } from '../resource/shown.ts';
import type { AdminSources } from '../sources.ts';
import { type AgentPlace, askAgent, askAgentFor, readAgent } from './agent-client.ts';
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

/** Those that grow with all that Envoy holds. They are passed on while they come in. */
const longReports: ReadonlySet<string> = new Set(['config', 'config-dump']);
/** Envoy takes seconds for ten thousands of routes, and more where it has much to do. */
const longReportFactor = 30;

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
  if (longReports.has(report)) {
    const timeoutMs = sources.agentTimeoutMs * longReportFactor;
    return passOn({ node, path: `reports/${report}`, timeoutMs, sources, ctx }, path);
  }
  const timeoutMs = sources.agentTimeoutMs * 5;
  return whereItIs({ node, path: `reports/${report}`, timeoutMs, sources, ctx }, async (agent) =>
    redacted(await asked(node.nodeId, agent.address, askAgentFor(agent, path, timeoutMs))),
  );
}

/** Answers with what the agent has at `agentPath`. Throws a 502 where it does not begin as it should. */
async function passOn(question: Question, agentPath: string): Promise<undefined> {
  const { node, timeoutMs, sources, ctx } = question;
  const way = wayTo(question);
  const [from, pieces] =
    'agent' in way
      ? [way.agent.address, readAgent(way.agent, agentPath, timeoutMs)]
      : [`replica ${way.replica}`, sources.replicas.read(way.replica, way.path, timeoutMs + forwardMs)];
  const answer = redactedJson(pieces);
  const { value: first = Buffer.of() } = await asked(node.nodeId, from, answer.next());
  if (first[0] !== openingBrace) throw unreachable(node.nodeId, `${from}: the answer is no JSON`);
  ctx.type = 'application/json';
  ctx.body = Readable.from(joined(first, answer), { objectMode: false });
}

const openingBrace = 0x7b;

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

interface Question {
  readonly node: NodeView;
  /** Behind `/v1/dataplanes/NODE/`. */
  readonly path: string;
  readonly timeoutMs: number;
  readonly sources: AdminSources;
  readonly ctx: RouterContext;
}

/** By the agent itself, or by the replica that it is connected to. */
async function whereItIs<T>(question: Question, own: (agent: AgentPlace) => Promise<T>): Promise<T> {
  const { node, timeoutMs, sources } = question;
  const way = wayTo(question);
  if ('agent' in way) return await own(way.agent);
  const answer = sources.replicas.ask(way.replica, way.path, timeoutMs + forwardMs);
  return (await asked(node.nodeId, `replica ${way.replica}`, answer)) as T;
}

/**
 * Whom to ask: an agent is asked by the replica that it is connected to, which has its token; so another replica asks that one. Throws a 502 for
 * an agent that cannot be asked.
 */
function wayTo({
  node,
  path,
  ctx,
}: Question): { readonly agent: AgentPlace } | { readonly replica: string; readonly path: string } {
  const { nodeId, cluster, replica } = node;
  const agent = placeOf(node);
  if (replica === undefined) return { agent };
  if (ctx.get(fromReplicaHeader) !== '') throw unreachable(nodeId, `it is connected to replica ${replica}`);
  const query = new URLSearchParams({ gateway: cluster });
  return { replica, path: `/v1/dataplanes/${encodeURIComponent(nodeId)}/${path}?${query}` };
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

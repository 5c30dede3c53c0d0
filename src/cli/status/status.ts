import { isProblem } from '../../gateway-api/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import type { Wire } from '../kit/wire.ts';

/** What somebody wants to know first. */
export interface StatusReport {
  readonly summary: Wire['summary'];
  /** One line for each thing that is not as it should be. */
  readonly problems: readonly string[];
}

/** So many of one sort are told one by one. */
const mostNamed = 10;

export async function readStatus(client: AdminClient): Promise<StatusReport> {
  const [summary, sync, gateways, listeners, routes, backends, certificates] = await Promise.all([
    client.get<Wire['summary']>('/v1/summary'),
    client.get<Wire['sync']>('/v1/snapshot-sync'),
    client.get<readonly Wire['gateway'][]>('/v1/gateways'),
    client.get<readonly Wire['listener'][]>('/v1/listeners'),
    client.get<readonly Wire['route'][]>('/v1/routes'),
    client.get<readonly Wire['backend'][]>('/v1/backends'),
    client.get<readonly Wire['certificate'][]>('/v1/certificates'),
  ]);
  const problems = [
    ...summary.warnings.map(({ message }) => message),
    ...named(sync.nodes.filter(({ state }) => state !== 'current-ready').map(nodeProblem)),
    ...named(gateways.filter((gateway) => isNews(gateway, listeners)).map(gatewayProblem)),
    ...named(
      listeners.filter(({ programmed, conditions }) => !programmed || hasProblem(conditions)).map(listenerProblem),
    ),
    ...named(routes.filter(isWrong).map(routeProblem)),
    ...named(backends.flatMap(backendProblem)),
    ...named(certificates.filter(({ state }) => state !== 'valid').map(certificateProblem)),
  ];
  return { summary, problems: [...new Set(problems)] };
}

export function statusText({ summary: all, problems }: StatusReport): string {
  const part = (count: number, bad: string): string => (count > 0 ? ` (${count} ${bad})` : '');
  const version = all.snapshotVersion ?? 'none yet';
  return [
    `gatewright ${all.version}, snapshot ${version}, ${all.leader.isLeader ? 'leader' : 'not the leader'} (${all.leader.identity})`,
    `gateways   ${all.gatewayCount}`,
    `listeners  ${all.listenerCount}${part(all.failedListenerCount, 'failed')}`,
    `routes     ${all.routeCount}${part(all.notAcceptedRouteCount, 'not accepted')}`,
    `backends   ${all.backendCount}, endpoints ${all.healthyEndpointCount} of ${all.endpointCount} healthy`,
    `nodes      ${all.connectedNodeCount} connected, ${all.readyNodeCount} ready, ${all.currentVersionNodeCount} current`,
    ...(problems.length === 0 ? ['nothing is wrong'] : ['', ...problems]),
  ].join('\n');
}

function named(problems: readonly string[]): string[] {
  const rest = problems.length - mostNamed;
  return [...problems.slice(0, mostNamed), ...(rest > 0 ? [`… and ${rest} more like these`] : [])];
}

const nodeProblem = ({ nodeId, state, message }: Wire['sync']['nodes'][number]): string =>
  `node ${nodeId}: ${state}: ${message}`;

type Conditions = Wire['listener']['conditions'];

const hasProblem = (conditions: Conditions): boolean => conditions.some(isProblem);

const problemsIn = (conditions: Conditions): string =>
  [...new Set(conditions.filter(isProblem).map(({ reason, message }) => `${reason}: ${message}`))].join('; ');

/** Whether there is something wrong with the Gateway that its listeners do not say. */
const isNews = ({ namespace, name, conditions }: Wire['gateway'], listeners: readonly Wire['listener'][]): boolean =>
  hasProblem(conditions) &&
  !listeners.some(
    ({ gateway, conditions: said }) => gateway.namespace === namespace && gateway.name === name && hasProblem(said),
  );

const gatewayProblem = ({ namespace, name, conditions }: Wire['gateway']): string =>
  `Gateway ${namespace}/${name}: ${problemsIn(conditions)}`;

const listenerProblem = ({ name, conditions }: Wire['listener']): string =>
  `listener ${name}: ${problemsIn(conditions)}`;

const isWrong = ({ accepted, resolvedRefs, parents }: Wire['route']): boolean =>
  !accepted || !resolvedRefs || parents.some(({ conditions }) => hasProblem(conditions));

function routeProblem({ kind, namespace, name, parents }: Wire['route']): string {
  const faults = [...new Set(parents.map(({ conditions }) => problemsIn(conditions)).filter(Boolean))];
  return `${kind} ${namespace}/${name}: ${faults.join('; ') || 'none of its parents is a Gateway of ours'}`;
}

const backendProblem = ({ namespace, name, problem }: Wire['backend']): string[] =>
  problem === null ? [] : [`backend ${namespace}/${name}: ${problem}`];

const certificateProblem = ({ namespace, name, state, daysLeft }: Wire['certificate']): string =>
  `certificate ${namespace}/${name}: ${state}${daysLeft === null ? '' : `, ${daysLeft} days left`}`;

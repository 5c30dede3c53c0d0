import { nameOf } from '../../admin/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import type { Wire } from '../kit/wire.ts';

/** What an operator wants to know first. */
export interface StatusReport {
  readonly summary: Wire['summary'];
  /** One line for each thing that is not as it should be. */
  readonly problems: readonly string[];
  /** The same with causes and next steps, as `/v1/problems` has them: the first 500. */
  readonly details: Wire['problems']['items'];
}

/** So many of one sort are named one by one. */
const mostNamed = 10;

export async function readStatus(client: AdminClient): Promise<StatusReport> {
  const [summary, { items, total }] = await Promise.all([
    client.get<Wire['summary']>('/v1/summary'),
    client.get<Wire['problems']>('/v1/problems?limit=500'),
  ]);
  const byCode = Map.groupBy(items, ({ code }) => code);
  const problems = [...byCode.values()].flatMap((same) => named(same.map(problemLine)));
  const unread = total - items.length;
  return { summary, problems: [...problems, ...(unread > 0 ? [`… and ${unread} more problems`] : [])], details: items };
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
    `nodes      ${all.connectedNodeCount} connected, ${all.readyNodeCount} ready, ${all.currentVersionNodeCount} current${part(all.lostNodeCount, 'lost')}`,
    ...(problems.length === 0 ? ['nothing is wrong'] : ['', ...problems]),
  ].join('\n');
}

function named(problems: readonly string[]): string[] {
  const rest = problems.length - mostNamed;
  return [...problems.slice(0, mostNamed), ...(rest > 0 ? [`… and ${rest} more like these`] : [])];
}

function problemLine({ object, message, count }: Wire['problems']['items'][number]): string {
  const what = object.name === '' || object.kind === 'File' ? '' : `${nameOf(object)}: `;
  return `${what}${message}${count > 1 ? ` (and ${count - 1} more with the same problem)` : ''}`;
}

import { inTurns } from '../../std/steps/index.ts';
import { answerOf, type Group, mergeGroups } from '../../traffic/index.ts';
import type { AdminSources } from '../sources.ts';
import { askReplicas } from './ask-replicas.ts';
import { gapsOf } from './gaps.ts';
import { grouper, type Selection } from './groups.ts';

export interface TrafficAsked extends Selection {
  readonly windowMs: number;
  /** Undefined: no points over time are wanted. */
  readonly stepMs?: number | undefined;
}

/** What one replica, or all of them, know of a time. */
export interface TrafficKnown {
  readonly from: number;
  readonly to: number;
  readonly groups: ReadonlyMap<string, Group>;
  /** Whether a proxy reported at all. */
  readonly isReported: boolean;
  readonly warnings: readonly string[];
}

/** The same as JSON, for other replicas. */
export interface TrafficPart {
  readonly from: number;
  readonly groups: readonly (readonly [string, Group['sums'], readonly (readonly [number, number, number])[]])[];
  readonly isReported: boolean;
  readonly warnings: readonly string[];
}

export const ownTrafficPath = '/v1/replicas/traffic';

/** What this replica's proxies reported. */
export async function ownTraffic(asked: TrafficAsked, sources: AdminSources): Promise<TrafficKnown> {
  const { traffic, graph } = sources;
  const { windowMs, stepMs, by } = asked;
  const to = sources.now().getTime();
  const question = {
    windowMs,
    now: to,
    groupOf: grouper(graph, asked),
    of: by === 'node' ? ('nodes' as const) : by === 'pick' ? ('picks' as const) : undefined,
    series: stepMs === undefined ? undefined : { stepMs },
  };
  const { from, groups } = await inTurns(answerOf(traffic, question));
  return { from, to, groups, isReported: traffic.nodes.length > 0, warnings: gapsOf(from, sources) };
}

export const trafficPart = ({ from, groups, isReported, warnings }: TrafficKnown): TrafficPart => ({
  from,
  isReported,
  warnings,
  groups: [...groups].map(([name, { sums, points }]) => [
    name,
    sums,
    [...points].map(([start, [requests, errors]]) => [start, requests, errors] as const),
  ]),
});

/** What the proxies of all replicas reported. One that does not answer is missing, which is said. */
export async function allTraffic(asked: TrafficAsked, sources: AdminSources): Promise<TrafficKnown> {
  const query = new URLSearchParams(
    Object.entries(asked).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
  const [own, others] = await Promise.all([
    ownTraffic(asked, sources),
    askReplicas<TrafficPart>(`${ownTrafficPath}?${query}`, sources),
  ]);
  if (others.answers.length === 0) return { ...own, warnings: [...own.warnings, ...others.warnings] };
  const groups = new Map<string, Group>();
  mergeGroups(groups, own.groups);
  for (const part of others.answers) mergeGroups(groups, groupsIn(part));
  const warnings = [...own.warnings, ...others.answers.flatMap((part) => part.warnings), ...others.warnings];
  return {
    ...own,
    groups,
    from: Math.min(own.from, ...others.answers.map(({ from }) => from)),
    isReported: own.isReported || others.answers.some(({ isReported }) => isReported),
    warnings: [...new Set(warnings)],
  };
}

function* groupsIn({ groups }: TrafficPart): Generator<readonly [string, Group]> {
  for (const [name, sums, points] of groups)
    yield [name, { sums, points: new Map(points.map(([start, requests, errors]) => [start, [requests, errors]])) }];
}

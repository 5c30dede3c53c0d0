import type * as ir from '../../ir/index.ts';
import { firstNames } from '../../std/index.ts';
import { isOff } from '../../traffic/index.ts';
import type { NodeView } from '../../xds/index.ts';
import type { AdminSources } from '../sources.ts';

/** So long a proxy that has just come may take until its first report. */
const firstReportMs = 90_000;
const mostNamed = 3;

/** What is missing in the counts of this replica since a time, in sentences. */
export function gapsOf(from: number, { traffic, graph, nodes, replicas, now }: AdminSources): string[] {
  const warnings: string[] = [];
  if (traffic.since > from)
    warnings.push(
      `a replica keeps traffic in memory and knows nothing from before ${new Date(traffic.since).toJSON()}`,
    );
  const gone = [...replicas.gone()].filter(([, at]) => at.getTime() >= from).map(([identity]) => identity);
  if (gone.length > 0)
    warnings.push(`what proxies reported to ${named(gone)} is missing: it stopped, and kept that in memory`);
  const overflowed = Math.max(traffic.ledger.overflowedAt, traffic.ledgerByNode.overflowedAt);
  if (overflowed >= from) warnings.push('there are too many active routes: the rest is counted together as "other"');
  const partial = traffic.nodes.filter(({ incompleteAt }) => incompleteAt >= from).map(({ nodeId }) => nodeId);
  if (partial.length > 0)
    warnings.push(`counts are missing of ${named(partial)}: too many routes, or no connection for too long`);
  const reporting = new Set(traffic.nodes.map(({ nodeId, cluster }) => `${cluster}\n${nodeId}`));
  const isSilent = ({ nodeId, cluster, connectedAt }: NodeView): boolean =>
    !reporting.has(`${cluster}\n${nodeId}`) && now().getTime() - connectedAt.getTime() > firstReportMs;
  const own = nodes.list().filter(({ connected, replica }) => connected && replica === undefined);
  const silent = own.filter(isSilent).map(({ nodeId }) => nodeId);
  if (silent.length > 0)
    warnings.push(
      `${silent.length} of ${own.length} proxies ${silent.length === 1 ? 'reports' : 'report'} no traffic (${named(silent)}): they run without our agent, or with an older one`,
    );
  const off = fleetsOff(graph.snapshot());
  if (off.length > 0) warnings.push(`traffic is off for ${named(off)}: set spec.traffic of their DataPlane to "On"`);
  return warnings;
}

/** Fleets whose requests are not counted. */
const fleetsOff = (snapshot: ir.Snapshot | undefined): string[] =>
  [...(snapshot?.gateways.values() ?? [])].filter(isOff).map(({ key }) => key);

/** Whether no request of any Gateway is counted. */
export function isAllOff(snapshot: ir.Snapshot | undefined): boolean {
  const fleets = [...(snapshot?.gateways.values() ?? [])];
  return fleets.length > 0 && fleets.every(isOff);
}

const named = (names: readonly string[]): string => firstNames(names, mostNamed);

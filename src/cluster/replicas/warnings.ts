import type { MergedNodeList } from './merged-node-list.ts';
import type { Peer } from './peer.ts';

/** Something about replicas that an operator should look at. */
export interface ReplicaWarning {
  readonly code: 'replica_unreachable' | 'replicas_disagree';
  readonly message: string;
}

/** An address at which no replica has answered for longer than `graceMs`. */
export function awayWarning(
  { address, failingFor = 0, reason }: Peer,
  merged: MergedNodeList,
  graceMs: number,
): readonly ReplicaWarning[] {
  if (failingFor <= graceMs) return [];
  const last = merged.list().find((remote) => remote.address === address && remote.state !== 'connected');
  const known = last === undefined ? '' : `; its data planes are shown as of ${last.lastHeardAt.toISOString()}`;
  return [warning('replica_unreachable', `the replica at ${address} cannot be reached: ${reason}${known}`)];
}

/** Replicas that have published another snapshot than `own` for long. */
export const disagreements = (merged: MergedNodeList, own: string | undefined): readonly ReplicaWarning[] =>
  merged.list().flatMap(({ identity, state, snapshot }) => {
    const forMs = state === 'connected' ? merged.agreement.disagreesFor(identity) : undefined;
    if (forMs === undefined) return [];
    const what = `replica ${identity} has published snapshot ${snapshot}, and this one ${own}`;
    return [
      warning(
        'replicas_disagree',
        `${what}; they differ for ${Math.round(forMs / 1000)} s: see whether both can read the cluster`,
      ),
    ];
  });

/** The name of the replicas cannot be resolved. */
export const unresolvedWarning = (reason: string): ReplicaWarning =>
  warning('replica_unreachable', `the name in replicas.service cannot be resolved: ${reason}`);

const warning = (code: ReplicaWarning['code'], message: string): ReplicaWarning => ({ code, message });

import { type AiPeer, hostOf } from '../../addons/ai/index.ts';
import type { ReplicaView } from '../../cluster/replicas/index.ts';

/** The other replicas that may know of AI usage. One that left and is back under another identity has what it kept, so it counts once. */
export function aiPeers(replicas: readonly ReplicaView[]): readonly AiPeer[] {
  const present = new Set(
    replicas.flatMap(({ identity, state }) => (['self', 'connected'].includes(state) ? hostOf(identity) : [])),
  );
  return replicas.flatMap(({ identity, address, state }) =>
    address === null || (state === 'left' && present.has(hostOf(identity)))
      ? []
      : [{ identity, address, isAway: state !== 'connected' }],
  );
}

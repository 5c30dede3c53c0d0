import type * as ir from '../../ir/index.ts';
import type { PortHosts, ResolvedListener } from '../model/index.ts';

/** What the Gateway of a listener has as a patch for its ports. */
export type PatchOf = (listener: ResolvedListener) => ir.ListenerPatch | undefined;

/** The patch of a port, whose listeners are all of one Gateway: others have a say in how their clients are treated. */
export function patchOn(owners: PortHosts, patchOf: PatchOf): ir.ListenerPatch | undefined {
  const [first] = owners.values();
  const patch = first && patchOf(first);
  return patch && isOfOne(owners) ? patch : undefined;
}

/** The places of listeners on the port that a patch is for and not laid over. */
export const unpatchedOn = (owners: PortHosts, patchOf: PatchOf): readonly string[] =>
  isOfOne(owners) ? [] : [...owners.values()].filter(patchOf).map(({ place }) => place);

function isOfOne(owners: PortHosts): boolean {
  const [first] = owners.values();
  return owners.values().every(({ gateway }) => gateway === first?.gateway);
}

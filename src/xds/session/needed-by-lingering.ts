import { isSlotLists, slotListsListenerName, tableOfChain } from '../../contracts/index.ts';
import { typeUrls } from '../../envoy/index.ts';
import type { Channel } from './channel.ts';

/**
 * Whether what lingers as well needs the resource of this name, as it is now. An Envoy that starts again with what its agent keeps waits without end for
 * lists that are gone, as long as it has the listener that subscribes to them.
 */
export function neededByLingering(channels: ReadonlyMap<string, Channel>): (name: string) => boolean {
  const listeners = new Set(channels.get(typeUrls.listener)?.outbox.removals.lingering());
  return (name) => isSlotLists(name) && listeners.has(slotListsListenerName(tableOfChain(name)));
}

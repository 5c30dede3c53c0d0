import type { AccessPlace, PortListener, TrafficLookup } from '../../graph/engine/index.ts';
import { isSameListener, listenersAt } from '../policies/index.ts';

/** Of the listeners that requests to a place come by, those whose ports the Gateway's patch leaves as they are; and whether that is all of them. */
export function unpatchedAt(
  place: AccessPlace,
  lookup: Pick<TrafficLookup, 'gateways' | 'routes'>,
): { readonly some: readonly PortListener[]; readonly all: boolean } {
  const unpatched = lookup.gateways.unpatchedListenersOf(place.gateway ?? '');
  const meant = unpatched.length > 0 ? listenersAt(place, lookup) : [];
  const some = unpatched.filter((each) => meant.some((one) => isSameListener(each, one)));
  return { some, all: some.length > 0 && some.length === meant.length };
}

/** `does nothing on port 80, where other Gateways have listeners too` */
export function unpatchedNote(listeners: readonly PortListener[]): string {
  const ports = [...new Set(listeners.map(({ port }) => port))];
  return `does nothing on port ${ports.join(', ')}, where other Gateways have listeners too`;
}

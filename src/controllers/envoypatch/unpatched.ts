import type { AccessPlace, PortListener, TrafficLookup } from '../../graph/engine/index.ts';
import { ownerTarget } from '../policies/index.ts';

/** Of the listeners that requests to a place come by, those whose ports the Gateway's patch leaves as they are; and whether that is all of them. */
export function unpatchedAt(
  { gateway = '', listener, route }: AccessPlace,
  { gateways, routes }: TrafficLookup,
): { readonly some: readonly PortListener[]; readonly all: boolean } {
  const given = listener ? [listener] : undefined;
  const meant = given ?? (route === undefined ? gateways.listenersOf(gateway) : routes.listenersOf(route, gateway));
  const some = gateways
    .unpatchedListenersOf(gateway)
    .filter((each) => meant.some((one) => isAmong(each, { owner: one.owner, name: one.name })));
  const total = listener && listener.name === undefined ? Number.POSITIVE_INFINITY : meant.length;
  return { some, all: some.length > 0 && some.length >= total };
}

const isAmong = (listener: PortListener, { owner, name }: NonNullable<AccessPlace['listener']>): boolean =>
  ownerTarget(listener.owner) === ownerTarget(owner) && (name === undefined || name === listener.name);

/** `does nothing on port 80, where other Gateways have listeners too` */
export function unpatchedNote(listeners: readonly PortListener[]): string {
  const ports = [...new Set(listeners.map(({ port }) => port))];
  return `does nothing on port ${ports.join(', ')}, where other Gateways have listeners too`;
}

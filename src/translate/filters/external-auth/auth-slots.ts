import type * as ir from '../../../ir/index.ts';
import { maxAuthChain } from '../../../ir/index.ts';
import { type HttpFilter, httpFilter } from '../../resource/index.ts';
import type { PerFilterConfig } from '../envoy-filter.ts';
import { emptySlot, type Slot } from '../slot.ts';
import { waitingIn } from '../steady.ts';
import { afterRouting, askServer, beforeRouting, type Routing } from './ext-authz.ts';

/** One filter for each server of a chain: of several filters within one slot, Envoy goes on behind the first that has to wait. */
const namesOf = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}.${index + 1}`);
/** A rule's, and behind them those of the backendRef that was drawn. */
const routeSlots = namesOf('gatewright.auth', 2 * maxAuthChain);
const hostSlots = namesOf('gatewright.first', maxAuthChain);

/**
 * Empty: the whole ext_authz filter comes from the route. Envoy reads the lists of headers only in a filter's own configuration.
 * A route's filters are made when the request gets here, so they are there for a route that was found late, too.
 */
export const authSlots: readonly Slot[] = routeSlots.map((name) => ({
  name,
  chain: 'traffic',
  protects: true,
  filter: emptySlot,
}));

/** What a rule with these servers uses. */
export const slotsOfAuth = (auths: readonly ir.ExternalAuth[]): readonly string[] =>
  auths.length > 0 ? [...routeSlots.slice(0, auths.length), ...waitingIn('traffic')] : [];

export const routeAuth = (auths: readonly ir.ExternalAuth[]): PerFilterConfig =>
  inSlots(routeSlots, auths, afterRouting);

/** In connection managers with virtual hosts that authorize requests before a route is chosen, which is then chosen again. */
export const hostAuthFilters = (): readonly HttpFilter[] => hostSlots.map((name) => httpFilter(name, emptySlot()));

/** For all requests of a virtual host, as its `typed_per_filter_config`. */
export const hostAuth = (auths: readonly ir.ExternalAuth[] = []): PerFilterConfig =>
  inSlots(hostSlots, auths, beforeRouting);

function inSlots(names: readonly string[], auths: readonly ir.ExternalAuth[], routing: Routing): PerFilterConfig {
  // None may be left out in silence: the graph admits no more than there is room for.
  if (auths.length > names.length)
    throw new RangeError(`${auths.length} ExternalAuth filters, and room for ${names.length}`);
  return Object.fromEntries(auths.map((auth, index) => [names[index], askServer(auth, routing)]));
}

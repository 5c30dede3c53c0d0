import { create } from '@bufbuild/protobuf';
import { CompositeSchema, packAny } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { maxAuthChain } from '../../../ir/index.ts';
import { type HttpFilter, httpFilter } from '../../resource/index.ts';
import type { PerFilterConfig } from '../envoy-filter.ts';
import { afterRouting, askServer, beforeRouting, type Routing } from './ext-authz.ts';

/** One filter for each server of a chain: of a chain within one filter, Envoy 1.40 goes on behind the first that has to wait. */
const slotsOf = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}.${index + 1}`);
/** A rule's, and behind them those of the backendRef that was drawn. */
const routeSlots = slotsOf('gatewright.auth', 2 * maxAuthChain);
const hostSlots = slotsOf('gatewright.first', maxAuthChain);

/**
 * Empty composite filters: the whole ext_authz filter comes from the route. Envoy reads the lists of headers only in a filter's
 * own configuration, so with a filter in the listener each new list would end connections. A route's filters are made when
 * the request gets here, so they are there for a route that was found late, too.
 */
export const routeAuthFilters = (): readonly HttpFilter[] => routeSlots.map(emptySlot);

export const routeAuth = (auths: readonly ir.ExternalAuth[]): PerFilterConfig =>
  inSlots(routeSlots, auths, afterRouting);

/** In chains with virtual hosts that authorize requests before a route is chosen, which is then chosen again. */
export const hostAuthFilters = (): readonly HttpFilter[] => hostSlots.map(emptySlot);

/** For all requests of a virtual host, as its `typed_per_filter_config`. */
export const hostAuth = (auths: readonly ir.ExternalAuth[] = []): PerFilterConfig =>
  inSlots(hostSlots, auths, beforeRouting);

const emptySlot = (name: string): HttpFilter => httpFilter(name, packAny(CompositeSchema, create(CompositeSchema)));

function inSlots(slots: readonly string[], auths: readonly ir.ExternalAuth[], routing: Routing): PerFilterConfig {
  // None may be left out in silence: the graph admits no more than there is room for.
  if (auths.length > slots.length)
    throw new RangeError(`${auths.length} ExternalAuth filters, and room for ${slots.length}`);
  return Object.fromEntries(auths.map((auth, index) => [slots[index], askServer(auth, routing)]));
}

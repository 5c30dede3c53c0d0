import type { EnvoyFilter } from '../envoy-filter.ts';
import { routeAuth, routeAuthFilters } from './auth-slots.ts';

export const externalAuth: EnvoyFilter<'externalAuth'> = {
  httpFilters: routeAuthFilters,
  perRoute: routeAuth,
  join: (ofRule = [], ofBackend) => [...ofRule, ...ofBackend],
};

import type { EnvoyFilter } from '../envoy-filter.ts';
import { routeAuth, slotsOfAuth } from './auth-slots.ts';

export const externalAuth: EnvoyFilter<'externalAuth'> = {
  slots: slotsOfAuth,
  perRoute: routeAuth,
  join: (ofRule = [], ofBackend) => [...ofRule, ...ofBackend],
};

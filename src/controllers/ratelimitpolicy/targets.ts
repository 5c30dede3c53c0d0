import { routeTargets } from '../policies/index.ts';

/** Policies by the Gateways and routes whose requests they limit. */
export const limitTargets = routeTargets('RateLimitPolicy');

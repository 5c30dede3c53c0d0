import type { Marking } from '../../graph/engine/index.ts';
import { routeTargets } from './route-targets.ts';

/** Policies by the Gateways and routes whose requests they limit. */
export const limitTargets = routeTargets('RateLimitPolicy');

/** What they say of a route's rules is in their statuses. `route`: its routeKey. */
export function markLimitsOf(route: string, { dirty, edges }: Marking): void {
  for (const policy of edges.of(limitTargets.edge).sourcesOf(route)) dirty.markStatus('RateLimitPolicy', policy);
}

/** The proxies that serve Gateways, and how far they have come. */

export { DatabaseTroubles } from './database-troubles.ts';
export { DrainingFleets } from './draining-fleets.ts';
export { FleetProgress } from './fleet-progress.ts';
export { type FleetChange, Fleets } from './fleets.ts';
export { GatewayStatuses } from './gateway-statuses.ts';

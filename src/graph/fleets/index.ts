/** The proxies that serve Gateways, and how far they have come. */
export { FleetProgress } from './fleet-progress.ts';
export { type FleetChange, Fleets } from './fleets.ts';
export { GatewayStatuses } from './gateway-statuses.ts';
export { DrainingFleets } from './left-fleets.ts';

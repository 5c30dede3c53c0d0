import { routeTargets } from '../policies/index.ts';

/** Policies by the Gateways and routes that they are for. */
export const trafficTargets = routeTargets('TrafficPolicy');

/** Content that proxies reject, and what is said of it to the objects behind it. */
export { markRejected } from './mark-rejected.ts';
export { Quarantine, subjects } from './quarantine.ts';
export { type BackendFaults, backendFaults } from './rejected-backends.ts';
export { filtersOnTrial, limitAsHeld, rejectedFilters, trafficAsHeld } from './rejected-filters.ts';
export { type RejectedOfFleet, rejectedOfFleet } from './rejected-listeners.ts';
export { rejectedRules, rejectedShares, withRejectedBackends } from './rejected-routes.ts';

/** Content that proxies reject, and what is said of it to the objects behind it. */
export { markRejected } from './mark-rejected.ts';
export { Quarantine, subjects } from './quarantine.ts';
export { type BackendFaults, backendFaults } from './refused-backends.ts';
export { type RefusedOfFleet, refusedOfFleet } from './refused-listeners.ts';
export { refusedRules, refusedShares, withRefusedBackends } from './refused-routes.ts';

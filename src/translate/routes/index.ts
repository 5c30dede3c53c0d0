/** One match of one rule: an Envoy route, with its action, retries and sessions. */
export { closedRoute } from './closed-route.ts';
export { encodeEntry, encodeLastRoutes } from './last-routes.ts';
export { defaultRetries } from './retry-policy.ts';
export { encodeRoute, encodingFault } from './route.ts';
export { listsOfRoute, slotsOfRoute } from './slots-of-route.ts';

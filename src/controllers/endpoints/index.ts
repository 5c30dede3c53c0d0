/** What kinds have in common whose endpoints are Pods. */
export { hasLabels, podEndpoints } from './pod-endpoints.ts';
export { endpointsOf, protocolOf } from './service-endpoints.ts';

/** What kinds have in common whose endpoints are Pods. */
export { hasLabels, podEndpoints } from './pod-endpoints.ts';
export { keyOfPort, protocolFor, protocolOf } from './ports.ts';
export { endpointsOf } from './service-endpoints.ts';

/** Live traffic of one proxy: how far Envoy's counters come, and which requests fail, reported to the control plane. */
export { EndpointWatch } from './endpoint-watch.ts';
export { Failures } from './failures.ts';
export { Reports } from './reports.ts';
export { Traffic } from './traffic.ts';

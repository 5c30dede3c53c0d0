/** CDS and EDS: backends and their endpoints. */
export { translateCluster } from './cluster.ts';
export { translateEndpoints } from './endpoints.ts';
export { upstreamTls } from './upstream-tls.ts';

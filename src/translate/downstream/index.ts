/** The client’s side of a listener: its address, its TLS, how many connections it takes. */
export { boundAddress } from './bound-address.ts';
export { connectionLimit } from './connection-limit.ts';
export { downstreamTls, downstreamTlsContext, handshakeTimeout, handshakeTimeoutMs } from './downstream-tls.ts';
export { prefixRanges } from './prefix-ranges.ts';

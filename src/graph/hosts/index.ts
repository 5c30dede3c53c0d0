/** What routes put on hosts, in the order in which proxies look, and the snapshot that is made of it. */
export { type Contribution, placeOf } from './contribution.ts';
export { GatewayHosts } from './gateway-hosts.ts';
export { GatewayStreams } from './gateway-streams.ts';
export { SnapshotState } from './snapshot-state.ts';
export { type StreamContribution, streamPlace } from './stream-contribution.ts';

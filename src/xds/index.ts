/** xDS v3 server: versions, cache, subscriptions, streams, ACK and NACK, one stream per node id. */
export type { NodesView, NodeView } from './node-view.ts';

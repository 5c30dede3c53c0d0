/** L4: connections and datagrams, which go to backends as they are. */
export { closedChain, encodeStreamChains, translateStream } from './stream-chain.ts';
export { translateUdpListener } from './udp-listener.ts';

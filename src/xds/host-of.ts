/** Of `address:port`: a client that tries again comes from another port. */
export const hostOf = (peer: string): string => peer.replace(/:\d+$/, '');

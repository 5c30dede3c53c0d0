/**
 * What begins so is ours: listeners and filters within the proxy exchange what they found by such headers. They are taken from all that clients
 * and backends send, so what a filter reads was written by another filter of the same request.
 */
export const ownHeaderPrefix = 'x-gw-';

export const isOwnHeader = (name: string): boolean => name.toLowerCase().startsWith(ownHeaderPrefix);

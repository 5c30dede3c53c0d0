/**
 * The gRPC addresses to try, in order, for an address as written in the configuration. `:PORT` means all addresses, of
 * both families, or of IPv4 only where the machine has no IPv6.
 */
export const listenAddresses = (address: string): readonly string[] =>
  address.startsWith(':') ? [`[::]${address}`, `0.0.0.0${address}`] : [address];

/** `127.0.0.1:80` or `[::1]:80` taken apart, as Node's own servers want it. */
export function hostAndPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}

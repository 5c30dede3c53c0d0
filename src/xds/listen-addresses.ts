/**
 * The gRPC addresses to try, in order, for an address as written in the configuration. `:PORT` means all addresses, of
 * both families, or of IPv4 only where the machine has no IPv6.
 */
export const listenAddresses = (address: string): readonly string[] =>
  address.startsWith(':') ? [`[::]${address}`, `0.0.0.0${address}`] : [address];

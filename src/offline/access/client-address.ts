import { isIP } from 'node:net';

/**
 * The client's address as policies see it. `connection`: of the connection to the proxy. With trusted hops, what the outermost of them wrote into
 * X-Forwarded-For; of a header that is shorter or no list of addresses, the connection's counts.
 */
export function clientAddress(
  connection: string | undefined,
  forwardedFor: readonly string[],
  trustedHops = 0,
): string | undefined {
  if (trustedHops === 0) return connection;
  const addresses = forwardedFor.join(',').split(',');
  const written = addresses.at(-trustedHops)?.trim() ?? '';
  return isIP(written) === 0 ? connection : written;
}

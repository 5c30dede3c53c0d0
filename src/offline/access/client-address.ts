import { isIP } from 'node:net';
import * as ir from '../../ir/index.ts';
import { networkOf } from './networks.ts';

/** All values of a header, by its name in lower case. */
type Header = (name: string) => readonly string[];

const forwardedFor = 'x-forwarded-for';

/**
 * The client's address as policies see it. `connection`: of the connection to the proxy. With trusted hops, what the outermost of them wrote into
 * X-Forwarded-For; of a header that is shorter or no list of addresses, the connection's counts.
 */
export function clientAddress(
  connection: string | undefined,
  header: Header,
  { trustedHops = 0, trustedProxies }: ir.ClientSettings = {},
): string | undefined {
  if (trustedProxies) return connection === undefined ? undefined : byProxies(connection, header, trustedProxies);
  if (trustedHops === 0) return connection;
  const written = entriesOf(header).at(-trustedHops) ?? '';
  return isIP(written) === 0 ? connection : written;
}

/** A line that is empty adds nothing. */
const entriesOf = (header: Header): readonly string[] =>
  header(forwardedFor)
    .filter((line) => line !== '')
    .join(',')
    .split(',')
    .map((entry) => entry.trim());

function byProxies(connection: string, header: Header, { networks, header: own }: ir.TrustedProxies): string {
  const isProxy = (address: string): boolean => networkOf(address, networks) !== undefined;
  if (!isProxy(connection)) return connection;
  if (own !== undefined) return addressOr(header(own)[0] ?? '', connection);
  const entries = entriesOf(header).slice(-ir.mostForwarded);
  // From the end: what one proxy wrote is believed if it is known, and then what stands before that.
  const at = entries.findLastIndex((entry) => !isProxy(entry));
  return addressOr(entries[Math.max(at, 0)] ?? '', connection);
}

const addressOr = (text: string, otherwise: string): string => (isIP(text) === 0 ? otherwise : text);

export type Scheme = 'http' | 'https';

const forwardedProto = 'x-forwarded-proto';

/**
 * The scheme as the proxy sees it: what proxies before it wrote, if they are trusted, else that of the connection. Undefined: it depends on the
 * address of the connection, which is not known.
 */
export function clientScheme(
  connection: string | undefined,
  header: Header,
  { trustedHops = 0, trustedProxies }: ir.ClientSettings = {},
  own: Scheme,
): Scheme | undefined {
  const written = schemeIn(header(forwardedProto)) ?? own;
  if (written === own || (trustedHops === 0 && !trustedProxies)) return own;
  if (!trustedProxies) return written;
  if (connection === undefined) return undefined;
  return networkOf(connection, trustedProxies.networks) ? written : own;
}

/** Envoy takes several lines for one, with commas, and that is no scheme. */
function schemeIn(values: readonly string[]): Scheme | undefined {
  const scheme = values.join(',').toLowerCase();
  return scheme === 'http' || scheme === 'https' ? scheme : undefined;
}

/** Whether the proxy takes a header away, since the connection is none of a known proxy. */
export function isUnbelieved(
  name: string,
  connection: string | undefined,
  { trustedProxies }: ir.ClientSettings = {},
): boolean {
  if (!trustedProxies || connection === undefined || networkOf(connection, trustedProxies.networks)) return false;
  return (
    name === trustedProxies.header ||
    ir.forwardingHeaders.some((known) => (known.endsWith('-') ? name.startsWith(known) : name === known))
  );
}

import { BlockList, isIP } from 'node:net';
import { readList } from './annotations.ts';
import { headerOf, type ModelRequest } from './request.ts';
import type { Settings } from './settings.ts';

/**
 * Headers that the backend gets in place of the client's own, by lower-case name; undefined: it gets none. What depends on an address that is not known
 * is left out, and so is an id that nginx makes up.
 */
export function forwardedHeaders(
  request: ModelRequest,
  settings: Settings,
): Readonly<Record<string, string | undefined>> {
  const { useForwardedHeaders: believes, httpPort, httpsPort } = settings;
  const said = (name: string) => (believes ? headerOf(request, name) : undefined);
  const scheme = said('x-forwarded-proto') ?? request.scheme;
  const id = headerOf(request, 'x-request-id');
  return {
    ...addresses(request, settings),
    'x-forwarded-host': said('x-forwarded-host') ?? request.host,
    'x-forwarded-port': said('x-forwarded-port') ?? String(request.scheme === 'https' ? httpsPort : httpPort),
    'x-forwarded-proto': scheme,
    'x-forwarded-scheme': scheme,
    'x-scheme': scheme,
    'x-original-forwarded-for': headerOf(request, 'x-forwarded-for'),
    ...(id !== undefined && { 'x-request-id': id }),
    proxy: undefined,
  };
}

function addresses(request: ModelRequest, settings: Settings): Readonly<Record<string, string>> {
  const { from } = request;
  if (from === undefined) return {};
  const chain = readList(headerOf(request, settings.forwardedForHeader));
  const client = settings.useForwardedHeaders ? clientOf(from, chain, settings.trusted) : from;
  const sent = headerOf(request, 'x-forwarded-for');
  const full = sent === undefined ? from : `${sent}, ${from}`;
  return { 'x-real-ip': client, 'x-forwarded-for': settings.appendsForwardedFor ? full : client };
}

/** The last address that no trusted proxy has. Source: `real_ip_recursive on`. */
function clientOf(from: string, chain: readonly string[], trusted: readonly string[]): string {
  const list = new BlockList();
  for (const network of trusted) {
    const { address = '', length } = /^(?<address>[^/]*)(?:\/(?<length>\d+))?$/.exec(network)?.groups ?? {};
    const family = isIP(address);
    if (family !== 0)
      list.addSubnet(address, Number(length ?? (family === 4 ? 32 : 128)), family === 4 ? 'ipv4' : 'ipv6');
  }
  let client = from;
  for (const next of chain.toReversed()) {
    if (isIP(next) === 0 || !list.check(client, isIP(client) === 6 ? 'ipv6' : 'ipv4')) break;
    client = next;
  }
  return client;
}

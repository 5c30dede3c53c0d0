import { hasCertificate } from './hosts.ts';
import type { LocationRules } from './location.ts';
import type { PlacedLocation } from './locations.ts';
import { headerOf, type ModelRequest } from './request.ts';
import type { Servers } from './servers.ts';
import type { Settings } from './settings.ts';

/** Whether a location sends a request to HTTPS, and where. Undefined: it does not. */
export function httpsRedirect(
  { path, rules }: PlacedLocation,
  request: ModelRequest,
  { servers, settings, host }: { readonly servers: Servers; readonly settings: Settings; readonly host: string },
): string | undefined {
  // The Ingress's path is looked at, not the request's.
  if (settings.noTlsRedirect.some((prefix) => path.startsWith(prefix))) return undefined;
  const proto = settings.useForwardedHeaders ? headerOf(request, 'x-forwarded-proto') : undefined;
  if ((proto ?? request.scheme) !== 'http') return undefined;
  if (!rules.forceSslRedirect && !(rules.sslRedirect && hasCertificate(servers, host))) return undefined;
  return httpsLocation(rules, request, settings);
}

/** One slash is cut from the end of the whole target, be it of the path or of the query. */
function httpsLocation({ keepsSlash, usesPort }: LocationRules, request: ModelRequest, settings: Settings): string {
  const forwarded = settings.useForwardedHeaders ? headerOf(request, 'x-forwarded-host') : undefined;
  const host = (forwarded?.split(',')[0]?.trim() ?? request.host).replace(/(?<=[^:]|\]):\d*$/, '');
  const target = keepsSlash ? request.target : request.target.replace(/\/$/, '');
  return `https://${host}${usesPort ? `:${settings.httpsPort}` : ''}${target}`;
}

/** Of a host with or without `www.` that the other one takes over. The port is always in it. */
export function wwwLocation(to: string, request: ModelRequest, settings: Settings): string {
  const forwarded = (name: string): string | undefined =>
    settings.useForwardedHeaders ? headerOf(request, name) : undefined;
  const scheme = forwarded('x-forwarded-proto') ?? request.scheme;
  const own = request.scheme === 'https' ? settings.httpsPort : settings.httpPort;
  return `${scheme}://${to}:${forwarded('x-forwarded-port') ?? own}${request.target.replace(/\/$/, '')}`;
}

/** The first location of a server that has one decides for the whole host. */
export const appRootOf = (locations: readonly PlacedLocation[]): PlacedLocation | undefined =>
  locations.find(({ rules }) => rules.appRoot !== undefined);

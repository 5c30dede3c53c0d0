import type { Map as ImmutableMap } from 'immutable';
import type { TableGuards } from './access.ts';
import type { ExternalAuth } from './external-auth.ts';
import type { TableLimits } from './rate-limits.ts';
import type { Route } from './route.ts';
import type { TableTraffic } from './traffic.ts';

/**
 * The rules for one host, in the order in which they are tried.
 *
 * `host` is an exact name in lower case, `*.suffix` (any depth below, never the suffix itself) or `*`. When no route
 * matches: a virtual host of `RouteTable.exact` with `fallThrough` hands the request to the table's fallback hosts; any
 * other answers 404. With `misdirected` every request is answered 421: the host belongs to another listener of the port.
 *
 * A wildcard's routes already include those of the wider wildcards that belong to the same owner, so a fallback never
 * has to look further than the longest matching suffix.
 */
export interface VirtualHost {
  readonly host: string;
  readonly routes: readonly Route[];
  readonly fallThrough: boolean;
  readonly misdirected: boolean;
  /** Authorize each request before its route is chosen, which may depend on what they change in it. */
  readonly preRoutingAuth?: readonly ExternalAuth[];
}

/**
 * All virtual hosts behind one HTTP chain. A request is looked up by its exact host in `exact`, else by the longest
 * matching suffix (or exact name) in `fallback`, else it is answered 404. Behind all tables of an HTTPS port stands one more,
 * `https/PORT`, which only says what hosts the port's listeners are for: they are answered 421. Maps are keyed by host.
 */
export interface RouteTable {
  /** `http/80`, or `https/443/LISTENER` with the listener's id, or `https/443`. */
  readonly id: string;
  /** What requests must show that are looked up here. */
  readonly access?: TableGuards;
  /** What requests count against that are looked up here. */
  readonly limits?: TableLimits;
  /** What is done to requests that are looked up here. */
  readonly traffic?: TableTraffic;
  /** Its requests wait until the proxy has looked up their addresses: see GeoLookup. */
  readonly locates?: true;
  readonly exact: ImmutableMap<string, VirtualHost>;
  readonly fallback: ImmutableMap<string, VirtualHost>;
}

/** No hostname of a listener or a route ends like this. */
const misdirected = '~misdirected';

/** Covers the names of all virtual hosts that belong to other listeners of the port, whatever their number. */
export const misdirectedHosts = `*.${misdirected}`;

/** What a virtual host is called in its table, and by what a request is a listener's: see TableGuards. */
export const virtualHostName = ({ host, misdirected: isOthers }: Pick<VirtualHost, 'host' | 'misdirected'>): string =>
  isOthers ? `${host}.${misdirected}` : host;

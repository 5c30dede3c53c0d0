import type { ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type { ResolvedGateway, ResolvedParameters } from './gateway.ts';
import type { ResolvedListener } from './listener.ts';
import type { PortHosts } from './port-hosts.ts';

/** The listeners behind one ir.RouteTable, and the hosts it must leave alone. */
export interface TableShape {
  readonly id: string;
  /** The Gateway listeners whose routes live here. */
  readonly own: readonly ResolvedListener[];
  /** Every listener that shares the port, `own` among them: the most specific one owns a host. */
  readonly owners: PortHosts;
  /** Hostnames of other listeners that are answered 421 here, not 404: they have connections of their own. */
  readonly misdirected: readonly string[];
  /** For ir.RouteTable.access. */
  readonly access?: ir.TableGuards;
  /** For ir.RouteTable.limits. */
  readonly limits?: ir.TableLimits;
  /** For ir.RouteTable.traffic. */
  readonly traffic?: ir.TableTraffic;
  /** For ir.RouteTable.locates. */
  readonly locates?: true;
}

/** The listener behind one ir.StreamTable, and those whose hosts it must leave alone. */
export interface StreamShape {
  readonly id: string;
  readonly own: ResolvedListener;
  /** Every listener that shares the port, `own` among them: the most specific one owns a host. */
  readonly owners: PortHosts;
  /** What the listener demands of all of its clients, the outermost level first. */
  readonly levels?: readonly ir.ListenerAccess[];
  /** For ir.StreamHost. */
  readonly idleMs?: number;
}

/** The proxies that serve together, and all that they serve: a Gateway of its own, or all Gateways of a class that shares them. */
export interface ResolvedFleet {
  /** ir.Gateway.key: the Gateway's, or as sharedFleetKey makes it. */
  readonly key: string;
  /** The class whose Gateways share the proxies; undefined where they are one Gateway's own. */
  readonly gatewayClass?: ObjectByKind['GatewayClass'];
  /** At least one, by key, the oldest first. */
  readonly members: ReadonlyMap<string, ResolvedGateway>;
  /** How the proxies are to be run. */
  readonly parameters: Pick<ResolvedParameters, 'spec'>;
  /** What serves, port by port. */
  readonly ports: readonly PortHosts[];
  readonly irListeners: ReadonlyMap<string, ir.Listener>;
  readonly tables: ReadonlyMap<string, TableShape>;
  readonly streams: ReadonlyMap<string, StreamShape>;
  readonly secrets: ReadonlyMap<string, ir.Secret>;
}

import { anyHost, coversHostname } from '../../gateway-api/index.ts';
import type { SettledListener } from '../gateways/listener.ts';
import { isHttp } from '../model/listener-spec.ts';
import type { PortHosts } from '../model/port-hosts.ts';

/** The listeners behind one ir.RouteTable, and the hosts it must leave alone. */
export interface TableShape {
  readonly id: string;
  /** The Gateway listeners whose routes live here. */
  readonly own: readonly SettledListener[];
  /** Every listener that shares the port, `own` among them: the most specific one owns a host. */
  readonly owners: PortHosts;
  /** Hostnames of other listeners that are answered 421 here, not 404: they have connections of their own. */
  readonly misdirected: readonly string[];
}

/** The listener behind one ir.StreamTable, and those whose hosts it must leave alone. */
export interface StreamShape {
  readonly id: string;
  readonly own: SettledListener;
  /** Every listener that shares the port, `own` among them: the most specific one owns a host. */
  readonly owners: PortHosts;
}

/** The tables of one port; where it has HTTPS, also one that tells hosts of any listener from hosts of none. */
export function tablesOf(owners: PortHosts): TableShape[] {
  const https = [...owners.values()].filter(({ protocol }) => protocol === 'HTTPS');
  const hostnames = [...owners.keys()];
  const [first] = https;
  if (first) {
    const shared = { id: `https/${first.port}`, own: [], owners, misdirected: hostnames };
    return [
      shared,
      ...https.map((own): TableShape => {
        // Only a wildcard has others below it. Whatever it does not cover is found in the shared table.
        const covered = own.hostname.startsWith(anyHost)
          ? hostnames.filter((name) => coversHostname(own.hostname, name))
          : [];
        const misdirected = covered.filter((name) => name !== own.hostname);
        return { id: own.table as string, own: [own], owners, misdirected };
      }),
    ];
  }
  const http = [...owners.values()].filter(isHttp);
  return http.length === 0 ? [] : [{ id: http[0]?.table as string, own: http, owners, misdirected: [] }];
}

export const streamsOf = (owners: PortHosts): StreamShape[] =>
  [...owners.values()].filter((own) => !isHttp(own)).map((own) => ({ id: own.table as string, own, owners }));

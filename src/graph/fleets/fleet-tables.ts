import { anyHost, coversHostname } from '../../gateway-api/index.ts';
import { isHttp, type PortHosts, type StreamShape, type TableShape } from '../model/index.ts';

/** The tables of one port; where it has HTTPS, also one that separates hosts of listeners from unknown hosts. */
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

import { wildcardsAbove } from '../../gateway-api/index.ts';
import { isHttp, type PortHosts, type SettingsOf, type StreamShape, type TableShape } from '../model/index.ts';

/** The tables of one port; where it has HTTPS, also one that separates hosts of listeners from unknown hosts. */
export function tablesOf(owners: PortHosts): TableShape[] {
  const https = [...owners.values()].filter(({ protocol }) => protocol === 'HTTPS');
  const hostnames = [...owners.keys()];
  const [first] = https;
  if (first) {
    const below = hostnamesBelow(owners);
    const shared = { id: `https/${first.port}`, own: [], owners, misdirected: hostnames };
    return [
      shared,
      // Only a wildcard has others below it. Whatever it does not cover is found in the shared table.
      ...https.map((own): TableShape => {
        const misdirected = below.get(own.hostname) ?? [];
        return { id: own.table as string, own: [own], owners, misdirected };
      }),
    ];
  }
  const http = [...owners.values()].filter(isHttp);
  return http.length === 0 ? [] : [{ id: http[0]?.table as string, own: http, owners, misdirected: [] }];
}

/** Of each wildcard of the port, the hostnames below it. No hostname is compared with all others. */
function hostnamesBelow(owners: PortHosts): ReadonlyMap<string, readonly string[]> {
  const below = new Map<string, string[]>();
  for (const hostname of owners.keys())
    for (const wide of wildcardsAbove(hostname)) {
      if (!owners.has(wide)) continue;
      const known = below.get(wide);
      if (known) known.push(hostname);
      else below.set(wide, [hostname]);
    }
  return below;
}

export const streamsOf = (owners: PortHosts, settingsOf: SettingsOf): StreamShape[] =>
  [...owners.values()]
    .filter((own) => !isHttp(own))
    .map((own) => {
      const idleMs = own.protocol === 'UDP' ? undefined : settingsOf(own)?.tcpIdleMs;
      return { id: own.table as string, own, owners, ...(idleMs !== undefined && { idleMs }) };
    });

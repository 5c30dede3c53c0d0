import { authoritiesWithout } from '../certificates/index.ts';
import {
  describeOwner,
  type PortHosts,
  type ResolvedListener,
  type ResolvedPolicies,
  type ResolvedSettings,
  type SettingsOf,
  terminatesTls,
} from '../model/index.ts';

/** Of Gateways whose listeners no policy is for. */
export const noPolicies: ResolvedPolicies = { settingsOf: () => undefined, outcomesOn: () => new Map() };

/** Taken by listeners of protocol UDP. */
export const udpPortsOf = (ports: readonly PortHosts[]): ReadonlySet<number> =>
  new Set(
    ports.flatMap((owners) => [...owners.values()]).flatMap(({ protocol, port }) => (protocol === 'UDP' ? port : [])),
  );

/** Why a listener cannot serve HTTP/3, if its policy asks for it. */
export const whyNoHttp3 = (
  { protocol, clients, port, name, owner }: ResolvedListener,
  udpPorts: ReadonlySet<number>,
): string | undefined => {
  if (protocol !== 'HTTPS') return undefined;
  const what = `listener ${name} of ${describeOwner(owner)}`;
  if (clients) return `http3: ${what} asks clients for certificates, which goes by TCP only, so it has no HTTP/3`;
  if (udpPorts.has(port))
    return `http3: UDP port ${port} is taken by a listener of protocol UDP, so ${what} has no HTTP/3`;
  return undefined;
};

/** Why backends of an HTTPS listener do not learn what certificates of clients say; undefined: they may. */
export const whyNoCertificateHeader = ({ protocol, clients, name, owner }: ResolvedListener): string | undefined => {
  if (protocol !== 'HTTPS' || clients?.required) return undefined;
  const why = clients ? 'also lets certificates in that it has not verified' : 'asks clients for no certificate';
  return `headers.clientCertificate: listener ${name} of ${describeOwner(owner)} ${why}, so backends get no X-Forwarded-Client-Cert`;
};

/** Why a listener compares no certificate with those that are pinned, if its policy has some. */
export const whyNoPins = ({ spec, clients, name, owner }: ResolvedListener): string | undefined =>
  clients || !terminatesTls(spec)
    ? undefined
    : `tls.clientPins: listener ${name} of ${describeOwner(owner)} asks clients for no certificate, so none is compared`;

/** What is to be known of a listener's lists of revoked certificates. */
export function revocationRemarks(
  { spec, clients, name, owner }: ResolvedListener,
  { revocation }: Partial<ResolvedSettings> = {},
): readonly string[] {
  if (!revocation || !terminatesTls(spec)) return [];
  const what = `listener ${name} of ${describeOwner(owner)}`;
  if (!clients) return [`tls.crlRef: ${what} asks clients for no certificate, so none is looked up`];
  if (revocation === 'unavailable') return [];
  const { lists } = revocation;
  const without = authoritiesWithout(lists, clients.authorities);
  const end = lists.ends?.toISOString();
  return [
    ...(without.length > 0
      ? [`tls.crlRef: there is no list of ${without.join('; ')}, so ${what} verifies none of its certificates`]
      : []),
    ...(end
      ? [`tls.crlRef: the first list ends at ${end}; from then on its authority's certificates are verified no more`]
      : []),
  ];
}

/** Whether a listener has a UDP port too. */
export const hasHttp3 = (listener: ResolvedListener, settingsOf: SettingsOf, udpPorts: ReadonlySet<number>): boolean =>
  listener.protocol === 'HTTPS' &&
  settingsOf(listener)?.http3 !== undefined &&
  !settingsOf(listener)?.isClosed &&
  !whyNoHttp3(listener, udpPorts);

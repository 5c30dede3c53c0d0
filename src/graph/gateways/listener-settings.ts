import {
  describeOwner,
  type PortHosts,
  type ResolvedListener,
  type ResolvedPolicies,
  type SettingsOf,
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

/** Whether a listener has a UDP port too. */
export const hasHttp3 = (listener: ResolvedListener, settingsOf: SettingsOf, udpPorts: ReadonlySet<number>): boolean =>
  listener.protocol === 'HTTPS' && settingsOf(listener)?.http3 !== undefined && !whyNoHttp3(listener, udpPorts);

import type { DataPlaneSpec } from '../../gateway-api/index.ts';
import * as ir from '../../ir/index.ts';
import { hasHttp3 } from '../gateways/index.ts';
import {
  isHttp,
  logConditions,
  type ResolvedListener,
  type ResolvedSettings,
  type SettingsOf,
  terminatesTls,
} from '../model/index.ts';

export interface ListenerCircumstances {
  readonly bind: (port: number) => ir.BindAddress;
  /** The DataPlane's. */
  readonly accessLog: ir.AccessLog | undefined;
  /** Of the DataPlane: whether requests are counted by route. */
  readonly isTrafficOff: boolean;
  /** Of the DataPlane: whether failed requests are kept with the client's address. */
  readonly showsClients: boolean;
  /** The DataPlane's. */
  readonly geo: ir.GeoLookup | undefined;
  readonly settingsOf: SettingsOf;
  /** Of the port. */
  readonly patch: ir.ListenerPatch | undefined;
  /** Taken by listeners of protocol UDP. */
  readonly udpPorts: ReadonlySet<number>;
}

/** `members`: the listeners of one port. Those that serve HTTP/3 have a UDP port beside it. */
export function irListenersOf(
  members: readonly ResolvedListener[],
  deps: ListenerCircumstances,
): [string, ir.Listener][] {
  const { bind, settingsOf, udpPorts, patch } = deps;
  const first = members[0] as ResolvedListener;
  const { protocol, port } = members.find(isHttp) ?? first;
  const key = `${protocol.toLowerCase()}/${port}`;
  const transport = protocol === 'UDP' ? 'udp' : 'tcp';
  const where = bind(port);
  const byHttp3 = (listener: ResolvedListener) => hasHttp3(listener, settingsOf, udpPorts);
  const chains = chainsOf(members, deps, byHttp3);
  const shared = transport === 'tcp' ? settingsOf(first)?.port : undefined;
  const patched = patch && transport === 'tcp' && { patch };
  const listener: ir.Listener = { key, transport, bind: where, chains, ...shared, ...patched };
  const firstByHttp3 = members.find(byHttp3);
  if (!firstByHttp3) return [[key, listener]];
  const quic = chains.filter((chain) => chain.kind === 'http' && chain.http3);
  const http3 = `http3/${port}`;
  const limits = { ...bufferOf(shared), ...streamsOf(settingsOf(firstByHttp3)), ...requestsOnly(patch) };
  return [
    [key, listener],
    [http3, { key: http3, transport: 'quic', bind: where, chains: quic, ...limits }],
  ];
}

/** A port of UDP takes no connections in. */
const requestsOnly = ({ id, connectionManager }: Partial<ir.ListenerPatch> = {}) =>
  id !== undefined && connectionManager && { patch: { id, connectionManager } };

const bufferOf = ({ bufferBytes }: Partial<ir.Listener> = {}) => bufferBytes !== undefined && { bufferBytes };

const streamsOf = ({ http3: { maxConcurrentStreams } = { maxAgeSeconds: 0 } }: Partial<ResolvedSettings> = {}) =>
  maxConcurrentStreams !== undefined && { maxConcurrentStreams };

export function accessLogOf({ accessLog }: DataPlaneSpec = {}): ir.AccessLog | undefined {
  if (!accessLog?.enabled) return undefined;
  const { fields, requestHeaders, responseHeaders, text, when, byRoute } = accessLog;
  return {
    ...(fields && { fields }),
    ...(requestHeaders && { requestHeaders }),
    ...(responseHeaders && { responseHeaders }),
    ...(text !== undefined && { text }),
    ...(when && { when: logConditions(when) }),
    ...(byRoute && { byRoute: true as const }),
  };
}

export function geoLookupOf({ geoip }: DataPlaneSpec = {}): ir.GeoLookup | undefined {
  if (!geoip) return undefined;
  const { databases, headers = {} } = geoip;
  const named = ir.geoFields.flatMap((field) => {
    const name = headers[field];
    return name === undefined ? [] : [[field, name.toLowerCase()] as const];
  });
  return {
    databases: (['location', 'asn'] as const).filter((database) => databases[database] !== undefined),
    headers: Object.fromEntries(named),
  };
}

function chainsOf(
  members: readonly ResolvedListener[],
  { accessLog, isTrafficOff, showsClients, geo, settingsOf }: ListenerCircumstances,
  byHttp3: (listener: ResolvedListener) => boolean,
): ir.Chain[] {
  const [first] = members;
  const more = (some: readonly ResolvedListener[]) => {
    const settings = some[0] && settingsOf(some[0]);
    const log = settings?.accessLog ?? accessLog;
    return {
      ...(some.some(({ preRoutingAuth }) => preRoutingAuth) && { preRoutingAuth: true as const }),
      ...(log && log !== 'off' && { accessLog: { ...log, ...gatewayOf(some) } }),
      ...(isTrafficOff && { traffic: 'off' as const }),
      ...(showsClients && !isTrafficOff && { showsClients: true as const }),
      ...(geo && { geo }),
      ...(settings?.client && { client: settings.client }),
      ...limitOf(settings),
    };
  };
  if (first?.protocol === 'HTTP' && settingsOf(first)?.isClosed)
    return [{ kind: 'closed', name: 'http', serverNames: [] }];
  if (first?.protocol === 'HTTP')
    return [{ kind: 'http', name: 'http', table: first.table as string, ...more(members) }];
  return members.map((member): ir.Chain => {
    const { place: name, protocol, port, spec } = member;
    const table = member.table as string;
    const settings = settingsOf(member);
    const tls = tlsOf(member, settings);
    if (isHttp(member) && settings?.isClosed) return { kind: 'closed', name, serverNames: tls.serverNames };
    if (isHttp(member)) {
      const { advertisedPort = port, maxAgeSeconds = 0 } = settings?.http3 ?? {};
      const http3 = byHttp3(member) && { http3: { port: advertisedPort, maxAgeSeconds } };
      return { kind: 'http', name, table, tls, ...more([member]), ...http3 };
    }
    const ends = terminatesTls(spec) && { tls };
    const limit = protocol !== 'UDP' && limitOf(settings);
    return { kind: 'stream', name, table, sni: protocol === 'TLS', ...ends, ...limit };
  });
}

/**
 * Without the lists of revoked certificates that a policy names no client can be verified, and none comes in: the name of a certificate that never
 * comes has Envoy fail all handshakes, and no other chain of the port takes them.
 */
function tlsOf(
  { id, hostname, certificates, clients }: ResolvedListener,
  { tls: parameters, revocation, clientPins: pins }: Partial<ResolvedSettings> = {},
): ir.ChainTls {
  const isClosed = clients && revocation === 'unavailable';
  return {
    serverNames: hostname === '*' ? [] : [hostname],
    certificates: isClosed ? [`unresolved/${id}`] : certificates,
    ...(clients && { clients: { ...clients, ...revocationOf(revocation), ...(pins && { pins }) } }),
    ...(parameters && { parameters }),
  };
}

function revocationOf(revocation: ResolvedSettings['revocation']): { readonly revocation?: ir.ChainRevocation } {
  if (!revocation || revocation === 'unavailable') return {};
  const { lists, leafOnly } = revocation;
  return { revocation: { lists: lists.pem, ...(leafOnly && { leafOnly }) } };
}

/** HTTP listeners of several Gateways on one port are one to Envoy. */
function gatewayOf([first, ...others]: readonly ResolvedListener[]): Pick<ir.AccessLog, 'gateway'> {
  return first && others.every(({ gateway }) => gateway === first.gateway) ? { gateway: first.gateway } : {};
}

const limitOf = ({ maxConnections, closeDelayMs }: Partial<ResolvedSettings> = {}) =>
  maxConnections !== undefined && { maxConnections, ...(closeDelayMs !== undefined && { closeDelayMs }) };

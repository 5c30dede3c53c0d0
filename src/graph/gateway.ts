import {
  anyHost,
  coversHostname,
  type DataPlaneSpec,
  type GatewayStatus,
  keyOf,
  type ObjectByKind,
} from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import { type ClientCertificate, settleClientCertificate } from './client-certificate.ts';
import type { SettledSettings } from './client-settings.ts';
import { settleListeners } from './gateway-listeners.ts';
import type { SettledListener } from './listener.ts';
import { type PolicyOutcome, type SettledPolicies, settleListenerPolicies, whyNoHttp3 } from './listener-policy.ts';
import type { ListenerPolicyIndex } from './listener-policy-index.ts';
import type { SettledListenerSet } from './listener-set.ts';
import { terminatesTls } from './listener-spec.ts';
import { type SettledParameters, settleParameters } from './parameters.ts';
import { type PortHosts, portsOf } from './port-hosts.ts';
import type { Store } from './store.ts';

/** What the outside tells of a Gateway's data plane. */
export interface DataPlaneState {
  readonly addresses: GatewayStatus['addresses'];
  /** Says what is missing when there is no address. */
  readonly message: string;
  /** What keeps the proxies from being as they are wished, whether they serve or not. */
  readonly problem?: string | undefined;
}

/** Where a Gateway's proxies bind a port. */
export type Binder = (gateway: ObjectByKind['Gateway'], port: number) => ir.BindAddress;

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

/** One Gateway of a class of ours, all settled but its routes. */
export interface SettledGateway {
  readonly key: string;
  readonly object: ObjectByKind['Gateway'];
  /** How its proxies are to be run. */
  readonly parameters: SettledParameters;
  /** Its own. */
  readonly listeners: readonly SettledListener[];
  /** The ListenerSets that name it, by key, in the order of their precedence. */
  readonly sets: ReadonlyMap<string, SettledListenerSet>;
  readonly irListeners: ReadonlyMap<string, ir.Listener>;
  readonly tables: ReadonlyMap<string, TableShape>;
  readonly streams: ReadonlyMap<string, StreamShape>;
  readonly secrets: ReadonlyMap<string, ir.Secret>;
  /** Keys of the backends that listeners themselves use. */
  readonly backends: readonly string[];
  /** What became of the ListenerPolicies that are for its listeners, by key. */
  readonly policies: ReadonlyMap<string, PolicyOutcome>;
  /** What its proxies show to backends with TLS, if anything. */
  readonly clientCertificate?: ClientCertificate;
}

/** Its own listeners and those of its ListenerSets, in the order of their precedence. */
export const allListeners = ({ listeners, sets }: Pick<SettledGateway, 'listeners' | 'sets'>): SettledListener[] => [
  ...listeners,
  ...[...sets.values()].flatMap((set) => set.listeners),
];

/** What a Gateway is settled with beside the objects themselves. */
export interface GatewaySurroundings {
  readonly store: Store;
  readonly bind: Binder;
  readonly listenerPolicies: ListenerPolicyIndex;
}

/** `gatewayClass`: its own, which is ours; `sets`: the ListenerSets that name it. */
export function settleGateway(
  object: ObjectByKind['Gateway'],
  gatewayClass: ObjectByKind['GatewayClass'],
  sets: readonly ObjectByKind['ListenerSet'][],
  { store, bind, listenerPolicies }: GatewaySurroundings,
): SettledGateway {
  const settled = settleListeners(object, sets, store);
  const listeners = { listeners: settled.own, sets: settled.sets };
  const serving = allListeners(listeners).filter(({ serves }) => serves);
  const ports = portsOf(serving);
  const udpPorts = new Set(serving.flatMap(({ protocol, port }) => (protocol === 'UDP' ? port : [])));
  const clientCertificate = settleClientCertificate(object, store);
  const parameters = settleParameters(object, gatewayClass, store);
  const policies = settleListenerPolicies({
    gateway: object,
    sets: settled.sets,
    ports,
    policies: listenerPolicies,
    store,
  });
  const accessLog = accessLogOf(parameters.spec);
  const used = serving.flatMap((listener) => policies.settingsOf(listener)?.backends ?? []);
  const secrets = [
    ...serving.flatMap((listener) => listener.secrets),
    ...(clientCertificate && 'secret' in clientCertificate ? [clientCertificate.secret] : []),
  ];
  return {
    key: keyOf(object),
    object,
    parameters,
    ...listeners,
    irListeners: new Map(
      ports.flatMap((owners) => irListenersOf([...owners.values()], { object, bind, accessLog, policies, udpPorts })),
    ),
    tables: new Map(ports.flatMap(tablesOf).map((shape) => [shape.id, shape])),
    streams: new Map(ports.flatMap(streamsOf).map((shape) => [shape.id, shape])),
    backends: [
      ...new Set([...serving.flatMap(({ auths = [] }) => auths.flatMap(({ backend }) => backend ?? [])), ...used]),
    ],
    policies: policies.outcomes,
    secrets: new Map(secrets.map((secret) => [secret.key, secret] as const)),
    ...(clientCertificate && { clientCertificate }),
  };
}

/** Key of the ir.Secret that a Gateway's proxies show to backends: part of what tells its backends from others'. */
export const clientCertificateKey = ({
  clientCertificate,
}: {
  readonly clientCertificate?: ClientCertificate | undefined;
}): string | undefined =>
  clientCertificate && 'secret' in clientCertificate ? clientCertificate.secret.key : undefined;

interface Circumstances {
  readonly object: ObjectByKind['Gateway'];
  readonly bind: Binder;
  /** The DataPlane's. */
  readonly accessLog: ir.AccessLog | undefined;
  readonly policies: SettledPolicies;
  /** Taken by listeners of protocol UDP. */
  readonly udpPorts: ReadonlySet<number>;
}

/** `members`: the listeners of one port. Those that can be had by HTTP/3 have a UDP port beside it. */
function irListenersOf(members: readonly SettledListener[], around: Circumstances): [string, ir.Listener][] {
  const { object, bind, policies, udpPorts } = around;
  const first = members[0] as SettledListener;
  const { protocol, port } = members.find(isHttp) ?? first;
  const key = `${protocol.toLowerCase()}/${port}`;
  const transport = protocol === 'UDP' ? 'udp' : 'tcp';
  const where = bind(object, port);
  const hasHttp3 = (listener: SettledListener) =>
    listener.protocol === 'HTTPS' &&
    policies.settingsOf(listener)?.http3 !== undefined &&
    !whyNoHttp3(listener, udpPorts);
  const chains = chainsOf(members, around, hasHttp3);
  const shared = transport === 'tcp' ? policies.settingsOf(first)?.port : undefined;
  const listener: ir.Listener = { key, transport, bind: where, chains, ...shared };
  const quic = chains.filter((chain) => chain.kind === 'http' && chain.http3);
  if (quic.length === 0) return [[key, listener]];
  const http3 = `http3/${port}`;
  return [
    [key, listener],
    [http3, { key: http3, transport: 'quic', bind: where, chains: quic, ...bufferOf(shared) }],
  ];
}

const bufferOf = ({ bufferBytes }: Partial<ir.Listener> = {}) => bufferBytes !== undefined && { bufferBytes };

function accessLogOf({ accessLog }: DataPlaneSpec = {}): ir.AccessLog | undefined {
  if (!accessLog?.enabled) return undefined;
  const { fields, requestHeaders, responseHeaders } = accessLog;
  return {
    ...(fields && { fields }),
    ...(requestHeaders && { requestHeaders }),
    ...(responseHeaders && { responseHeaders }),
  };
}

const isHttp = ({ protocol }: SettledListener): boolean => protocol === 'HTTP' || protocol === 'HTTPS';

function chainsOf(
  members: readonly SettledListener[],
  { accessLog, policies }: Circumstances,
  hasHttp3: (listener: SettledListener) => boolean,
): ir.Chain[] {
  const [first] = members;
  const more = (some: readonly SettledListener[]) => {
    const settings = some[0] && policies.settingsOf(some[0]);
    const log = settings?.accessLog ?? accessLog;
    return {
      ...(some.some(({ auths }) => auths) && { asksFirst: true as const }),
      ...(log && log !== 'off' && { accessLog: log }),
      ...(settings?.client && { client: settings.client }),
      ...limitOf(settings),
    };
  };
  if (first?.protocol === 'HTTP')
    return [{ kind: 'http', name: 'http', table: first.table as string, ...more(members) }];
  return members.map((member): ir.Chain => {
    const { id: name, hostname, certificates, clients, protocol, port, spec } = member;
    const table = member.table as string;
    const settings = policies.settingsOf(member);
    const tls = {
      serverNames: hostname === '*' ? [] : [hostname],
      certificates,
      ...(clients && { clients }),
      ...(settings?.tls && { parameters: settings.tls }),
    };
    if (isHttp(member)) {
      const { advertisedPort = port, maxAgeSeconds = 0 } = settings?.http3 ?? {};
      const http3 = hasHttp3(member) && { http3: { port: advertisedPort, maxAgeSeconds } };
      return { kind: 'http', name, table, tls, ...more([member]), ...http3 };
    }
    const ends = terminatesTls(spec) && { tls };
    const limit = protocol !== 'UDP' && limitOf(settings);
    return { kind: 'stream', name, table, sni: protocol === 'TLS', ...ends, ...limit };
  });
}

const limitOf = (settings: SettledSettings | undefined) =>
  settings?.maxConnections !== undefined && { maxConnections: settings.maxConnections };

/** The tables of one port; where it has HTTPS, also one that tells hosts of any listener from hosts of none. */
function tablesOf(owners: PortHosts): TableShape[] {
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

const streamsOf = (owners: PortHosts): StreamShape[] =>
  [...owners.values()].filter((own) => !isHttp(own)).map((own) => ({ id: own.table as string, own, owners }));

import type * as ir from '../../ir/index.ts';
import { type CertificateFacts, certificateFacts } from './certificates.ts';
import { snapshotTotals } from './snapshot-totals.ts';

/** Where a host is at home. */
interface HostPlace {
  readonly gateway: string;
  readonly table: string;
  readonly scope: 'exact' | 'fallback';
  readonly host: string;
}

/** One virtual host without its routes. */
export type SnapshotHost = HostPlace & Pick<ir.VirtualHost, 'fallThrough' | 'misdirected'>;

/** One match of one rule where it is at home. Routes of one host come in the order in which they are tried. */
export type SnapshotRoute = HostPlace & ir.Route;

/** Where connections or datagrams of one host go, where it is at home. */
export type SnapshotStream = Omit<HostPlace, 'scope'> & ir.StreamHost;

/** The whole IR as it may be shown: of certificates what they say, of keys nothing. */
export interface SnapshotRecord {
  readonly id: string;
  readonly generatedAt: Date;
  readonly listeners: readonly (ir.Listener & { readonly gateway: string })[];
  readonly hosts: readonly SnapshotHost[];
  readonly streams: readonly SnapshotStream[];
  readonly routes: readonly SnapshotRoute[];
  readonly backends: readonly ir.Backend[];
  /** By ir.Backend.key. */
  readonly endpoints: Readonly<Record<string, readonly ir.Endpoint[]>>;
  readonly secrets: readonly ({ readonly key: string } & Partial<CertificateFacts>)[];
  /** No policy is read. */
  readonly policies: readonly never[];
}

/** Costs what the whole snapshot is large; everything is sorted by key. */
export function snapshotRecord(snapshot: ir.Snapshot): SnapshotRecord {
  const gateways = sortedValues(snapshot.gateways);
  const placed = gateways.flatMap(hostsOf);
  return {
    id: snapshot.id,
    generatedAt: snapshot.generatedAt,
    listeners: gateways.flatMap((gateway) =>
      sortedValues(gateway.listeners).map((listener) => ({ gateway: gateway.key, ...listener })),
    ),
    hosts: placed.map(({ place, virtualHost: { fallThrough, misdirected } }) => ({
      ...place,
      fallThrough,
      misdirected,
    })),
    streams: gateways.flatMap(streamsOf),
    routes: placed.flatMap(({ place, virtualHost }) => virtualHost.routes.map((route) => ({ ...place, ...route }))),
    backends: sortedValues(snapshot.backends),
    endpoints: Object.fromEntries(
      sortedValues(snapshot.endpoints).map(({ backend, endpoints }) => [backend, endpoints]),
    ),
    secrets: sortedValues(snapshotTotals(snapshot).secrets).map((secret) => ({
      key: secret.key,
      ...certificateFacts(secret),
    })),
    policies: [],
  };
}

const hostsOf = (gateway: ir.Gateway): { readonly place: HostPlace; readonly virtualHost: ir.VirtualHost }[] =>
  sortedValues(gateway.tables).flatMap((table) =>
    (['exact', 'fallback'] as const).flatMap((scope) =>
      sortedValues(table[scope]).map((virtualHost) => ({
        place: { gateway: gateway.key, table: table.id, scope, host: virtualHost.host },
        virtualHost,
      })),
    ),
  );

const streamsOf = (gateway: ir.Gateway): SnapshotStream[] =>
  sortedValues(gateway.streams).flatMap(({ id, hosts }) =>
    sortedValues(hosts).map((host) => ({ gateway: gateway.key, table: id, ...host })),
  );

const sortedValues = <T>(map: { entries(): Iterable<readonly [string, T]> }): T[] =>
  [...map.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);

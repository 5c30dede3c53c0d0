import type { GraphView } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { certificateFacts } from '../certificates/certificate-facts.ts';
import { timeText } from '../resource/leaves.ts';
import { policyRecords } from './policies.ts';
import type { SnapshotRecord } from './record.ts';
import { shownRoute } from './shown-route.ts';
import { snapshotTotals } from './snapshot-totals.ts';

/** Where a host is at home. */
type HostPlace = Pick<SnapshotRecord['hosts'][number], 'gateway' | 'table' | 'scope' | 'host'>;

/** A backend, with of its TLS only what may be shown: of authorities where they come from, of certificates their names. */
export type SnapshotBackend = Omit<ir.Backend, 'tls'> & {
  readonly tls?: Omit<ir.BackendTls, 'authorities' | 'ownCertificate'> & {
    readonly authorities: 'configured' | 'system';
    readonly ownCertificate?: string;
  };
};

/** A backend as it may be shown. */
export function shownBackend({ tls, ...backend }: ir.Backend): SnapshotBackend {
  if (!tls) return backend;
  const { authorities, ownCertificate, ...shown } = tls;
  return {
    ...backend,
    tls: {
      ...shown,
      authorities: authorities === undefined ? 'system' : 'configured',
      ...(ownCertificate && { ownCertificate: ownCertificate.secret.key }),
    },
  };
}

type ShownChain =
  | Exclude<ir.Chain, ir.HttpChain>
  | (Omit<ir.HttpChain, 'preRoutingAuth'> & { readonly preRoutingAuth?: true });
type ShownListener = Omit<ir.Listener, 'chains'> & { readonly chains: readonly ShownChain[] };

/** A listener as it may be shown: of the authorities that clients are checked by only that there are some. */
export const shownListener = ({ chains, ...listener }: ir.Listener): ShownListener => ({
  ...listener,
  chains: chains.map((chain) => shownChain(withoutAuthorities(chain))),
});

const withoutAuthorities = (chain: ir.Chain): ir.Chain =>
  chain.tls?.clients
    ? { ...chain, tls: { ...chain.tls, clients: { ...chain.tls.clients, authorities: 'configured' } } }
    : chain;

/** The API has a name of its own for authorization before routing. */
function shownChain(chain: ir.Chain): ShownChain {
  if (chain.kind !== 'http') return chain;
  const { preRoutingAuth, ...shown } = chain;
  return { ...shown, ...(preRoutingAuth && { preRoutingAuth: true as const }) };
}

/** Costs what the whole snapshot is large; everything is sorted by key. `graph`: the one that the snapshot is of. */
export function snapshotRecord(snapshot: ir.Snapshot, graph: GraphView): SnapshotRecord {
  const gateways = sortedValues(snapshot.gateways);
  const placed = gateways.flatMap(hostsOf);
  return {
    id: snapshot.id,
    generatedAt: timeText(snapshot.generatedAt),
    listeners: gateways.flatMap((gateway) =>
      sortedValues(gateway.listeners).map((listener) => ({ gateway: gateway.key, ...shownListener(listener) })),
    ),
    hosts: placed.map(({ place, virtualHost: { fallThrough, misdirected } }) => ({
      ...place,
      fallThrough,
      misdirected,
    })),
    streams: gateways.flatMap(streamsOf),
    routes: placed.flatMap(({ place, virtualHost }) =>
      virtualHost.routes.map((route) => ({ ...place, ...shownRoute(route) })),
    ),
    // The schema does not know the kind AIService, nor `ai`.
    backends: sortedValues(snapshot.backends).map(shownBackend) as SnapshotRecord['backends'],
    endpoints: Object.fromEntries(
      sortedValues(snapshot.endpoints).map(({ backend, endpoints }) => [backend, endpoints]),
    ),
    secrets: sortedValues(snapshotTotals(snapshot).secrets).map((secret) => ({
      key: secret.key,
      ...factsOf(secret),
    })),
    policies: policyRecords(graph),
  };
}

/**
 * Names all that a snapshotRecord shows, for a fraction of its cost: a change and its reversal give the same id again, but not
 * the same time, and whether a policy is accepted may change without either.
 */
export const snapshotTag = ({ id, generatedAt }: ir.Snapshot, graph: GraphView): string => {
  const policies = ir.digestOfText(JSON.stringify(policyRecords(graph)));
  return [id, generatedAt.getTime().toString(36), ir.formatDigest(policies)].join('-');
};

const hostsOf = (gateway: ir.Fleet): { readonly place: HostPlace; readonly virtualHost: ir.VirtualHost }[] =>
  sortedValues(gateway.tables).flatMap((table) =>
    (['exact', 'fallback'] as const).flatMap((scope) =>
      sortedValues(table[scope]).map((virtualHost) => ({
        place: { gateway: gateway.key, table: table.id, scope, host: virtualHost.host },
        virtualHost,
      })),
    ),
  );

/** Nothing of a certificate that cannot be read. */
const factsOf = (secret: ir.Secret) => {
  const facts = certificateFacts(secret);
  return facts && { ...facts, notBefore: timeText(facts.notBefore), notAfter: timeText(facts.notAfter) };
};

const streamsOf = (gateway: ir.Fleet): SnapshotRecord['streams'] =>
  sortedValues(gateway.streams).flatMap(({ id, hosts }) =>
    sortedValues(hosts).map((host) => ({ gateway: gateway.key, table: id, ...host })),
  );

const sortedValues = <T>(map: { entries(): Iterable<readonly [string, T]> }): T[] =>
  [...map.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);

import type * as ir from '../../ir/index.ts';
import { LruMap } from '../../std/memory/index.ts';
import { inBase, needsOf, toBase } from '../chains/index.ts';
import { waitingFirst } from '../filters/index.ts';
import {
  type EnvoyResource,
  exactScopeKey,
  exactScopeName,
  fallbackScopeKey,
  fallbackScopeName,
  partScopeKey,
  partScopeName,
  probeScope,
  restOfHost,
  tableOfScope,
} from '../resource/index.ts';
import { encodeEntry, encodeLastRoutes, slotsOfRoute } from '../routes/index.ts';
import { encodeConfiguration, encodeScope } from './encode-scope.ts';
import { entersPart, fallthroughOff, leavesHost } from './fallthrough.ts';
import { type ScopeMaking, ScopeProvenance, type Whole } from './provenance.ts';

/**
 * SRDS: one exact host of a table, its RouteConfiguration inline, so that one resource carries the whole change. A host
 * that falls through simply ends: a request that finds no route here falls through to the fallback scope.
 */
export const translateExactScope = (table: string, virtualHost: ir.VirtualHost): EnvoyResource =>
  exactScopeIn(table, virtualHost);

/** `whole`: what was decided by all that the host has, where clients reject a part of it. Chains are made from all of it. */
function exactScopeIn(table: string, virtualHost: ir.VirtualHost, whole?: boolean): EnvoyResource {
  const { host } = virtualHost;
  const name = exactScopeName(table, host);
  const used = usedBy([virtualHost]);
  const meetsBase = whole ?? inBase(virtualHost, used);
  const key = exactScopeKey(table, host);
  const { typeUrl, version, body } = exactScope({ name, key, virtualHost, ...(meetsBase && { base: table }) });
  const provenance = new ScopeProvenance([virtualHost], meetsBase ? makings.inBase : makings.inAuth);
  // One for each host: fields that are written out have their place in the object, others take half as much again.
  return { typeUrl, name, version, body, provenance, ...needing(table, used, meetsBase) };
}

const probe: ScopeMaking['probe'] = ([only]) =>
  exactScope({ name: probeScope, key: probeScope, virtualHost: only as ir.VirtualHost });

const makingOf = (meetsBase: boolean): ScopeMaking => ({
  probe,
  make: (name, [only]) => exactScopeIn(tableOfScope(name), only as ir.VirtualHost, meetsBase),
});

/** One for all hosts that meet a chain. */
const makings = { inBase: makingOf(true), inAuth: makingOf(false) };

interface ExactScope {
  readonly name: string;
  readonly key: string;
  readonly virtualHost: ir.VirtualHost;
  /** The table whose `base` its requests meet. */
  readonly base?: string;
}

function exactScope({ name, key, virtualHost, base }: ExactScope): EnvoyResource {
  const last = virtualHost.fallThrough ? undefined : lastRoutes(virtualHost);
  return encodeScope(name, key, exactConfiguration(virtualHost, base), [{ virtualHost, domains: ['*'], last }]);
}

/** By table; of hosts that meet `auth` by no name. */
const usualConfigurations = new LruMap<string, Uint8Array>(1024);

function exactConfiguration(virtualHost: ir.VirtualHost, base: string | undefined): Uint8Array {
  const { preRoutingAuth } = virtualHost;
  const room = roomForBodies([virtualHost]);
  const isUsual = !preRoutingAuth && !room;
  const known = isUsual ? usualConfigurations.get(base ?? '') : undefined;
  if (known) return known;
  const filters = { ...fallthroughOff, ...(base !== undefined && toBase(base)) };
  const made = encodeConfiguration({ typedPerFilterConfig: preRoutingAuth ? {} : filters, ...room });
  if (isUsual) usualConfigurations.set(base ?? '', made);
  return made;
}

/** The host with the part's routes alone, and all of it. */
export interface HostPart {
  readonly virtualHost: ir.VirtualHost;
  readonly whole: Whole;
}

/**
 * SRDS: an exact host that is cut up, which only says where to go on: to one of its parts. It goes behind them, so that no request comes too
 * early.
 */
export function translatePartitionedHost(table: string, virtualHost: ir.VirtualHost, segments: number): EnvoyResource {
  const { host } = virtualHost;
  const name = exactScopeName(table, host);
  const configuration = encodeConfiguration({ typedPerFilterConfig: { ...entersPart(table, host, segments) } });
  const last = encodeEntry('gatewright/by-path', virtualHost.routes);
  const before = { ...virtualHost, routes: [] };
  const hosts = [{ virtualHost: before, domains: ['*'], last }];
  const made = encodeScope(name, exactScopeKey(table, host), configuration, hosts);
  return { ...made, ...chainsFor(table, [before]), continues: true };
}

/** SRDS: a part of an exact host, for paths with that beginning. What it has no route for goes on to the rest of the host. */
export const translatePart = (table: string, beginning: string, part: HostPart): EnvoyResource =>
  partScope(table, beginning, part);

/** SRDS: what no part of an exact host is for. */
export function translateRest(table: string, rest: HostPart): EnvoyResource {
  const last = rest.virtualHost.fallThrough
    ? encodeLastRoutes('gatewright/other-hosts', 404, leavesHost(table))
    : lastRoutes(rest.virtualHost);
  return partScope(table, restOfHost, rest, last);
}

function partScope(
  table: string,
  beginning: string,
  { virtualHost, whole }: HostPart,
  last: readonly Uint8Array[] = [],
) {
  const { host } = virtualHost;
  const name = partScopeName(table, host, beginning);
  const configuration = encodeConfiguration(roomForBodies([virtualHost]));
  const hosts = [{ virtualHost, domains: ['*'], last }];
  const made = encodeScope(name, partScopeKey(table, host, beginning), configuration, hosts);
  return {
    ...made,
    ...chainsFor(table, [virtualHost]),
    provenance: new ScopeProvenance([virtualHost], partMaking, whole),
  };
}

const partMaking: ScopeMaking = {
  probe,
  make(name, [only], whole) {
    const virtualHost = only as ir.VirtualHost;
    const table = tableOfScope(name);
    const beginning = name.slice(exactScopeName(table, virtualHost.host).length + 1);
    const part = { virtualHost, whole: whole ?? { virtualHost } };
    return beginning === restOfHost ? translateRest(table, part) : translatePart(table, beginning, part);
  },
};

/** SRDS: every other host of a table, by Envoy's own choice of the longest matching domain. `encodable`: as a host is encoded. */
export function translateFallbackScope(
  table: ir.RouteTable,
  encodable: (virtualHost: ir.VirtualHost) => ir.VirtualHost,
): EnvoyResource {
  const hosts = [...table.fallback.values()].map(encodable).sort((a, b) => (a.host < b.host ? -1 : 1));
  return fallbackOf(table.id, hosts);
}

function fallbackOf(table: string, hosts: readonly ir.VirtualHost[]): EnvoyResource {
  const made = fallbackScope(fallbackScopeName(table), fallbackScopeKey(table), hosts);
  return { ...made, ...chainsFor(table, hosts), provenance: new ScopeProvenance(hosts, fallbackMaking) };
}

const fallbackMaking: ScopeMaking = {
  probe: (hosts) => fallbackScope(probeScope, probeScope, hosts),
  make: (name, hosts) => fallbackOf(tableOfScope(name), hosts),
};

function fallbackScope(name: string, key: string, hosts: readonly ir.VirtualHost[]): EnvoyResource {
  const configuration = encodeConfiguration({ ignorePortInHostMatching: true, ...roomForBodies(hosts) });
  const all = hosts.map((host) => ({ virtualHost: host, domains: [host.host], last: lastRoutes(host) }));
  return encodeScope(name, key, configuration, all);
}

/** Envoy rejects all of a configuration that has a longer text to answer with, unless it says so. */
const usualBodyBytes = 4096;

function roomForBodies(hosts: readonly ir.VirtualHost[]) {
  const largest = Math.max(0, ...hosts.flatMap(({ routes }) => routes.flatMap(bodyBytes)));
  return largest > usualBodyBytes ? { maxDirectResponseBodySizeBytes: largest } : undefined;
}

const bodyBytes = ({ rule: { action } }: ir.Route): number | readonly [] =>
  action.kind === 'respond' && action.answer?.body !== undefined ? Buffer.byteLength(action.answer.body) : [];

/** What the routes of these hosts need of the table's filter chains. */
const chainsFor = (table: string, hosts: readonly ir.VirtualHost[]): Pick<EnvoyResource, 'needs'> =>
  needing(table, usedBy(hosts));

const usedBy = (hosts: readonly ir.VirtualHost[]): readonly string[] =>
  hosts.flatMap(({ routes, preRoutingAuth }) => [
    ...routes.flatMap(slotsOfRoute),
    ...(preRoutingAuth ? waitingFirst : []),
  ]);

function needing(table: string, used: readonly string[], meetsBase = false): Pick<EnvoyResource, 'needs'> {
  const needs = needsOf(table, used, meetsBase);
  return needs ? { needs } : {};
}

const lastRoutes = ({ misdirected }: ir.VirtualHost): readonly Uint8Array[] => (misdirected ? isElsewhere : notFound);

const isElsewhere = encodeLastRoutes('gatewright/misdirected', 421);
const notFound = encodeLastRoutes('gatewright/not-found', 404);

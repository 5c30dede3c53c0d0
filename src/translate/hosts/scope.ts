import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  RouteConfigurationSchema,
  ScopedRouteConfiguration_KeySchema,
  typeUrls,
  VirtualHostSchema,
} from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import { inBase, needsOf, toBase } from '../chains/index.ts';
import { hostAuth, waitingFirst } from '../filters/index.ts';
import {
  type EnvoyResource,
  encodedResource,
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
import { defaultRetries, encodeEntry, encodeLastRoutes, encodeRoute, slotsOfRoute } from '../routes/index.ts';
import { entersPart, fallthroughOff, leavesHost, scopeHeader } from './fallthrough.ts';
import { type ScopeMaking, ScopeProvenance, type Whole } from './provenance.ts';

// Field numbers of the messages that are put together from encoded parts.
const scopeName = 1;
const scopeKey = 3;
const scopeRouteConfiguration = 5;
const configurationVirtualHosts = 2;
const virtualHostRoutes = 3;

/** Routes inside a scope are checked by default, as they are in a bootstrap: one share that leads nowhere would cost the whole host. */
const validateClusters = false;

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
  const perFilter = meetsBase ? toBase(table) : {};
  const { typeUrl, version, body } = exactScope({ name, key: exactScopeKey(table, host), virtualHost, perFilter });
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
  readonly perFilter?: Readonly<Record<string, Any>>;
}

function exactScope({ name, key, virtualHost, perFilter = {} }: ExactScope): EnvoyResource {
  const base = routesWithoutHosts(name, {
    typedPerFilterConfig: virtualHost.preRoutingAuth ? {} : { ...fallthroughOff, ...perFilter },
    ...roomForBodies([virtualHost]),
  });
  const last = virtualHost.fallThrough ? undefined : lastRoutes(virtualHost);
  return scope(name, key, base, [encodeVirtualHost(virtualHost, ['*'], last)]);
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
  const base = routesWithoutHosts(name, { typedPerFilterConfig: { ...entersPart(table, host, segments) } });
  const last = encodeEntry('gatewright/by-path', virtualHost.routes);
  const before = { ...virtualHost, routes: [] };
  const made = scope(name, exactScopeKey(table, host), base, [encodeVirtualHost(before, ['*'], last)]);
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
  const base = routesWithoutHosts(name, roomForBodies([virtualHost]));
  const made = scope(name, partScopeKey(table, host, beginning), base, [encodeVirtualHost(virtualHost, ['*'], last)]);
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

/** SRDS: every other host of a table, by Envoy's own choice of the longest matching domain. */
export function translateFallbackScope(table: ir.RouteTable): EnvoyResource {
  const hosts = [...table.fallback.values()].sort((a, b) => (a.host < b.host ? -1 : 1));
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
  const base = routesWithoutHosts(name, { ignorePortInHostMatching: true, ...roomForBodies(hosts) });
  const virtualHosts = hosts.map((host) => encodeVirtualHost(host, [host.host], lastRoutes(host)));
  return scope(name, key, base, virtualHosts);
}

/** Envoy rejects all of a configuration that has a longer text to answer with, unless it says so. */
const usualBodyBytes = 4096;

function roomForBodies(hosts: readonly ir.VirtualHost[]) {
  const largest = Math.max(0, ...hosts.flatMap(({ routes }) => routes.flatMap(bodyBytes)));
  return largest > usualBodyBytes ? { maxDirectResponseBodySizeBytes: largest } : {};
}

const bodyBytes = ({ rule: { action } }: ir.Route): number | readonly [] =>
  action.kind === 'respond' && action.answer?.body !== undefined ? Buffer.byteLength(action.answer.body) : [];

/** What hosts are put behind, as they are encoded. */
const routesWithoutHosts = (name: string, more: MessageInitShape<typeof RouteConfigurationSchema>): Uint8Array =>
  toBinary(
    RouteConfigurationSchema,
    create(RouteConfigurationSchema, { name, validateClusters, requestHeadersToRemove: [scopeHeader], ...more }),
  );

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

/** Put together from encoded routes: a host with thousands of them costs a copy, not an encoding, when one changes. */
function encodeVirtualHost(
  virtualHost: ir.VirtualHost,
  domains: string[],
  last: readonly Uint8Array[] = [],
): Uint8Array {
  const { routes, preRoutingAuth } = virtualHost;
  const base = create(VirtualHostSchema, {
    name: ir.virtualHostName(virtualHost),
    domains,
    typedPerFilterConfig: hostAuth(preRoutingAuth),
    ...(routes.length > 0 && { retryPolicy: defaultRetries }),
  });
  const writer = new BinaryWriter().raw(toBinary(VirtualHostSchema, base));
  for (const route of routes) {
    for (const bytes of encodeRoute(route, virtualHost))
      writer.tag(virtualHostRoutes, WireType.LengthDelimited).bytes(bytes);
  }
  for (const bytes of last) writer.tag(virtualHostRoutes, WireType.LengthDelimited).bytes(bytes);
  return writer.finish();
}

function scope(
  name: string,
  key: string,
  configurationBase: Uint8Array,
  virtualHosts: readonly Uint8Array[],
): EnvoyResource {
  const configuration = new BinaryWriter().raw(configurationBase);
  for (const virtualHost of virtualHosts)
    configuration.tag(configurationVirtualHosts, WireType.LengthDelimited).bytes(virtualHost);
  const fragments = create(ScopedRouteConfiguration_KeySchema, {
    fragments: [{ type: { case: 'stringKey', value: key } }],
  });
  const bytes = new BinaryWriter()
    .tag(scopeName, WireType.LengthDelimited)
    .string(name)
    .tag(scopeKey, WireType.LengthDelimited)
    .bytes(toBinary(ScopedRouteConfiguration_KeySchema, fragments))
    .tag(scopeRouteConfiguration, WireType.LengthDelimited)
    .bytes(configuration.finish())
    .finish();
  return encodedResource(typeUrls.scopedRoute, name, bytes);
}

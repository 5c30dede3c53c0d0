import { create, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import * as immutable from 'immutable';
import {
  ApiVersion,
  type ConfigSource,
  ConfigSourceSchema,
  HttpConnectionManagerSchema,
  ListenerSchema,
  packAny,
  RouteConfigurationSchema,
  RouterSchema,
  typeUrls,
  VirtualHostSchema,
} from '../../src/envoy/index.ts';
import * as ir from '../../src/ir/index.ts';
import { textOfBytes } from '../../src/std/memory/index.ts';
import { type EnvoyResource, Translator } from '../../src/translate/index.ts';
import type { Resource } from './stub-ads.ts';

export type Mode = 'rds' | 'vhds' | 'srds';
export const modes: readonly Mode[] = ['rds', 'vhds', 'srds'];

const configuration = 'rc';
const gateway = 'default/bench';
const table = 'http/80';
export const listenerName = table;

/** The resources of one way to deliver routes, and what has to be sent for one host more. */
export interface Delivery {
  readonly initial: readonly { readonly typeUrl: string; readonly resources: readonly Resource[] }[];
  add(host: string): { readonly typeUrl: string; readonly resources: readonly Resource[] };
}

export function deliver(mode: Mode, hosts: readonly string[]): Delivery {
  if (mode === 'srds') return scoped(hosts);
  return mode === 'rds' ? oneConfiguration(hosts) : virtualHostsOnDemand(hosts);
}

/** What translate makes of the hosts: the recipe that is shipped. */
function scoped(hosts: readonly string[]): Delivery {
  const initial = sendEverything([fallback], hosts.map(virtualHost));
  return {
    initial: [typeUrls.listener, typeUrls.scopedRoute, typeUrls.extension].map((typeUrl) => ({
      typeUrl,
      resources: initial.filter((resource) => resource.typeUrl === typeUrl),
    })),
    add: (host) => ({ typeUrl: typeUrls.scopedRoute, resources: exactScope(virtualHost(host)) }),
  };
}

const route = (id: string, prefix: string): ir.Route => ({
  id,
  match: { path: { kind: 'prefix', value: prefix }, headers: [], queryParams: [] },
  rule: {
    filters: { requestHeaders: { set: [{ name: 'a', value: 'b' }], add: [], remove: [] } },
    action: { kind: 'respond', status: 200 },
  },
});

/** One route, and the way to the wildcard rules behind it. */
export const virtualHost = (host: string): ir.VirtualHost => ({
  host,
  routes: [route('httproute/default/bench/rule/0/match/0', '/a')],
  fallThrough: true,
  misdirected: false,
});

/** A host with many routes that differ in their first path segment: `/app0/api`, `/app1/api`, … */
export const wideHost = (host: string, count: number): ir.VirtualHost => ({
  host,
  routes: Array.from({ length: count }, (_, index) =>
    route(`httproute/default/r${index}/rule/0/match/0`, `/app${index}/api`),
  ),
  fallThrough: true,
  misdirected: false,
});

/** The same with its last route changed. */
export const lastChanged = (before: ir.VirtualHost, change: number): ir.VirtualHost => {
  const at = before.routes.length - 1;
  const changed = route(`httproute/default/r${at}/rule/0/match/${change}`, `/app${at}/api`);
  return { ...before, routes: before.routes.with(at, changed) };
};

const fallback: ir.VirtualHost = {
  host: '*.wild.test',
  routes: [route('httproute/default/wild/rule/0/match/0', '/a')],
  fallThrough: false,
  misdirected: false,
};

/** Listener and scopes of a gateway with one HTTP listener on a free port. */
export function sendEverything(
  wildcards: readonly ir.VirtualHost[],
  exact: readonly ir.VirtualHost[],
): readonly EnvoyResource[] {
  const byHost = (hosts: readonly ir.VirtualHost[]) => immutable.Map(hosts.map((entry) => [entry.host, entry]));
  const listener: ir.Listener = {
    key: listenerName,
    transport: 'tcp',
    bind: { address: '127.0.0.1', port: 0 },
    chains: [{ kind: 'http', name: 'http', table }],
  };
  const content: ir.Fleet = {
    key: gateway,
    digest: ir.emptyDigest,
    listenersDigest: ir.emptyDigest,
    listeners: immutable.Map([[listener.key, listener]]),
    tables: immutable.Map([[table, { id: table, exact: byHost(exact), fallback: byHost(wildcards) }]]),
    streams: immutable.Map(),
    secrets: immutable.Map(),
    backends: immutable.Map(),
  };
  const snapshot = { ...ir.emptySnapshot(new Date(0)), gateways: immutable.Map([[gateway, content]]) };
  return translate(snapshot, ir.allChanges(snapshot));
}

/** What a change of a host comes to. */
export const exactScope = (after: ir.VirtualHost, before?: ir.VirtualHost): readonly EnvoyResource[] =>
  translate(ir.emptySnapshot(new Date(0)), [
    { kind: 'virtualHost', gateway, table, scope: 'exact', host: after.host, before, after },
  ]);

const translate = (snapshot: ir.Snapshot, changes: Iterable<ir.Change>): readonly EnvoyResource[] =>
  new Translator().translate(snapshot, changes).flatMap(({ upserts }) => upserts);

/** One RouteConfiguration, sent whole for every change. */
function oneConfiguration(hosts: readonly string[]): Delivery {
  const encoded = hosts.map((host) => encodeVirtualHost(host, host));
  const whole = (): Resource => ({ name: configuration, body: textOfBytes(assemble(encoded)) });
  return {
    initial: [
      { typeUrl: typeUrls.listener, resources: [plainListener()] },
      { typeUrl: typeUrls.route, resources: [whole()] },
    ],
    add: (host) => {
      encoded.push(encodeVirtualHost(host, host));
      return { typeUrl: typeUrls.route, resources: [whole()] };
    },
  };
}

/** A listener with plain RDS for these hosts, and its routes. */
export const plainRoutes = (hosts: readonly string[]): { readonly listener: Resource; readonly routes: Resource } => {
  const encoded = hosts.map((host) => encodeVirtualHost(host, host));
  return { listener: plainListener(), routes: { name: configuration, body: textOfBytes(assemble(encoded)) } };
};

/** VHDS: a RouteConfiguration that asks for its virtual hosts. A resource has the name of its virtual host. */
function virtualHostsOnDemand(hosts: readonly string[]): Delivery {
  const resource = (host: string): Resource => {
    const name = `${configuration}/${host}`;
    return { name, body: textOfBytes(encodeVirtualHost(name, host)) };
  };
  const asking = create(RouteConfigurationSchema, { name: configuration, vhds: { configSource: ads() } });
  return {
    initial: [
      { typeUrl: typeUrls.listener, resources: [plainListener()] },
      {
        typeUrl: typeUrls.route,
        resources: [{ name: configuration, body: textOfBytes(toBinary(RouteConfigurationSchema, asking)) }],
      },
      { typeUrl: typeUrls.virtualHost, resources: hosts.map(resource) },
    ],
    add: (host) => ({ typeUrl: typeUrls.virtualHost, resources: [resource(host)] }),
  };
}

const ads = (): ConfigSource =>
  create(ConfigSourceSchema, { configSourceSpecifier: { case: 'ads', value: {} }, resourceApiVersion: ApiVersion.V3 });

function encodeVirtualHost(name: string, host: string): Uint8Array {
  const virtual = create(VirtualHostSchema, {
    name,
    domains: [host],
    routes: [
      {
        match: { pathSpecifier: { case: 'pathSeparatedPrefix', value: '/a' } },
        action: { case: 'directResponse', value: { status: 200 } },
        requestHeadersToAdd: [{ header: { key: 'a', value: 'b' } }],
      },
    ],
  });
  return toBinary(VirtualHostSchema, virtual);
}

/** Concatenates encoded virtual hosts, so that the measured server does no more than it must. */
function assemble(virtualHosts: readonly Uint8Array[]): Uint8Array {
  const writer = new BinaryWriter().raw(
    toBinary(RouteConfigurationSchema, create(RouteConfigurationSchema, { name: configuration })),
  );
  for (const virtual of virtualHosts) writer.tag(2, WireType.LengthDelimited).bytes(virtual);
  return writer.finish();
}

/** A listener with plain RDS: what scoped routes are compared with. */
function plainListener(): Resource {
  const manager = create(HttpConnectionManagerSchema, {
    statPrefix: 'plain',
    routeSpecifier: { case: 'rds', value: { configSource: ads(), routeConfigName: configuration } },
    httpFilters: [
      {
        name: 'envoy.filters.http.router',
        configType: { case: 'typedConfig', value: packAny(RouterSchema, create(RouterSchema)) },
      },
    ],
  });
  const listener = create(ListenerSchema, {
    name: listenerName,
    address: {
      address: {
        case: 'socketAddress',
        value: { address: '127.0.0.1', portSpecifier: { case: 'portValue', value: 0 } },
      },
    },
    filterChains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            configType: { case: 'typedConfig', value: packAny(HttpConnectionManagerSchema, manager) },
          },
        ],
      },
    ],
  });
  return { name: listenerName, body: textOfBytes(toBinary(ListenerSchema, listener)) };
}

import * as immutable from 'immutable';
import * as ir from '../../src/ir/index.ts';
import { type EnvoyResource, Translator } from '../../src/translate/index.ts';

/** Builders of IR with only what a test wants to say. */

export const gatewayKey = 'default/edge';

export const rule = (given: Partial<ir.RouteRule> = {}): ir.RouteRule => ({ action: forwardTo('web'), ...given });

export const forwardTo = (...names: readonly string[]): ir.ForwardAction => ({
  kind: 'forward',
  backends: names.map((name) => ({ backend: backendKey(name), weight: 1 })),
  invalidStatus: 500,
});

export const backendKey = (name: string): string => `default/${name}/80`;

/** A route that shows in the response header `x-route` that it answered. */
export const route = (id: string, prefix: string, given: Partial<ir.RouteRule> = {}): ir.Route => ({
  id,
  match: { path: { kind: 'prefix', value: prefix }, headers: [], queryParams: [] },
  rule: rule({ ...given, filters: { responseHeaders: nameOf(id), ...given.filters } }),
});

const nameOf = (id: string): ir.HeaderChanges => ({ set: [{ name: 'x-route', value: id }], add: [], remove: [] });

export const virtualHost = (
  host: string,
  routes: readonly ir.Route[],
  given: Partial<ir.VirtualHost> = {},
): ir.VirtualHost => ({ host, routes, fallThrough: false, misdirected: false, ...given });

export interface TableContent {
  readonly exact?: readonly ir.VirtualHost[];
  readonly fallback?: readonly ir.VirtualHost[];
}

export const table = (id: string, { exact = [], fallback = [] }: TableContent): ir.RouteTable => ({
  id,
  exact: byHost(exact),
  fallback: byHost(fallback),
});

/** What a Gateway's policy demands of all requests of a table. */
export const tableGuards = (
  demanded: ir.Access & { readonly overridable?: readonly ir.AccessPart[] },
): ir.TableGuards => ({
  demands: [{ level: 'gateway', source: 'default/policy', overridable: [], ...demanded }],
});

export const streamTable = (id: string, ...hosts: readonly ir.StreamHost[]): ir.StreamTable => ({
  id,
  hosts: immutable.Map(hosts.map((entry) => [entry.host, entry])),
});

const byHost = (hosts: readonly ir.VirtualHost[]) => immutable.Map(hosts.map((entry) => [entry.host, entry]));

/** A listener on a port of 127.0.0.1, a free one by default, with one chain without TLS. */
export const httpListener = (key: string, port = 0): ir.Listener => ({
  key,
  transport: 'tcp',
  bind: { address: '127.0.0.1', port },
  chains: [{ kind: 'http', name: 'http', table: key }],
});

export interface GatewayContent {
  readonly listeners: readonly ir.Listener[];
  readonly tables?: readonly ir.RouteTable[];
  readonly streams?: readonly ir.StreamTable[];
  readonly secrets?: readonly ir.Secret[];
  /** Port of 127.0.0.1 by backend name. */
  readonly backends?: Readonly<Record<string, number>>;
}

/** A snapshot with this one gateway. */
export function snapshotOf({
  listeners,
  tables = [],
  streams = [],
  secrets = [],
  backends = {},
}: GatewayContent): ir.Snapshot {
  const names = Object.keys(backends);
  const gateway: ir.Fleet = {
    key: gatewayKey,
    digest: ir.emptyDigest,
    listenersDigest: ir.emptyDigest,
    listeners: immutable.Map(listeners.map((entry) => [entry.key, entry])),
    tables: immutable.Map(tables.map((entry) => [entry.id, entry])),
    streams: immutable.Map(streams.map((entry) => [entry.id, entry])),
    secrets: immutable.Map(secrets.map((entry) => [entry.key, entry])),
    backends: immutable.Map(names.map((name) => [backendKey(name), 1])),
  };
  return {
    ...ir.emptySnapshot(new Date('2026-01-02T03:04:05Z')),
    gateways: immutable.Map([[gatewayKey, gateway]]),
    backends: immutable.Map(names.map((name) => [backendKey(name), backend(name)])),
    endpoints: immutable.Map(names.map((name) => [backendKey(name), endpoints(name, [backends[name] as number])])),
  };
}

/** A server that requests are to be let in by. */
export const forwardAuthBy = (name: string, given: Partial<ir.ForwardAuth> = {}): ir.ForwardAuth => ({
  backend: backendKey(name),
  protocol: 'http',
  authority: name,
  requestHeaders: [],
  responseHeaders: [],
  toClient: [],
  timeoutMs: 60_000,
  failOpen: false,
  statusOnError: 403,
  ...given,
});

export const backend = (name: string, given: Partial<ir.Backend> = {}): ir.Backend => ({
  key: backendKey(name),
  namespace: 'default',
  service: name,
  port: 80,
  protocol: 'http1',
  ...given,
});

export const endpoints = (name: string, ports: readonly number[]): ir.Endpoints => ({
  backend: backendKey(name),
  endpoints: ports.map((port) => ({ address: '127.0.0.1', port, health: 'ready' })),
});

/** Everything Envoy is sent for a gateway at a cold start. */
export const translateAll = (snapshot: ir.Snapshot): readonly EnvoyResource[] =>
  new Translator().translate(snapshot, ir.allChanges(snapshot)).flatMap(({ upserts }) => upserts);

/** The scope of one virtual host, as it is sent when that host alone changes. */
export function exactScope(tableId: string, after: ir.VirtualHost): EnvoyResource {
  const change: ir.Change = {
    kind: 'virtualHost',
    gateway: gatewayKey,
    table: tableId,
    scope: 'exact',
    host: after.host,
    after,
  };
  const snapshot = snapshotOf({ listeners: [], tables: [table(tableId, { exact: [after] })] });
  const [resource] = new Translator().translate(snapshot, [change]).flatMap(({ upserts }) => upserts);
  if (!resource) throw new Error('no resource for an exact host');
  return resource;
}

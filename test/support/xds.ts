import { type DescMessage, fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf';
import {
  ClusterLoadAssignmentSchema,
  ClusterSchema,
  ListenerSchema,
  registry,
  ScopedRouteConfigurationSchema,
  typeUrls,
} from '../../src/envoy/index.ts';
import type { EnvoyResource, GatewayChange } from '../../src/translate/index.ts';
import { encodedResource } from '../../src/translate/resource/resource.ts';
import {
  type CertificateSource,
  type NodeEvent,
  type Publication,
  type UsageKeeper,
  XdsServer,
  type XdsServerOptions,
} from '../../src/xds/index.ts';

/** The gateway that test clients belong to when they say nothing else. */
export const gateway = 'default/gw';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A server on a free port of 127.0.0.1, with all its node events; ended by the test's teardown. */
export async function startXds(
  t: { teardown(end: () => Promise<void>): void },
  options: Partial<XdsServerOptions> & {
    readonly address?: string;
    readonly certificates?: CertificateSource;
    readonly usage?: UsageKeeper;
  } = {},
): Promise<{ server: XdsServer; port: number; events: NodeEvent[] }> {
  const server = new XdsServer({ logger: silent, ...options });
  if (options.usage) server.agentServices.serveUsage(options.usage);
  t.teardown(() => server.close());
  const events: NodeEvent[] = [];
  server.onNode((event) => events.push(event));
  const port = await server.listen(options.address ?? '127.0.0.1:0', options.certificates);
  return { server, port, events };
}

/** The next event of a kind, or the node's arrival at a state: resolves as soon as `wanted` says yes to an event. */
export function nextEvent(server: XdsServer, wanted: (event: NodeEvent) => boolean): Promise<NodeEvent> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the awaited node event did not happen')), 240_000);
    const stop = server.onNode((event) => {
      if (!wanted(event)) return;
      clearTimeout(timer);
      stop();
      resolve(event);
    });
  });
}

export const applied =
  (snapshot: string) =>
  (event: NodeEvent): boolean =>
    event.kind === 'applied' && event.snapshot === snapshot;

/** A resource whose body is any text: for clients that do not look into it. */
export const fakeResource = (typeUrl: string, name: string, text = name): EnvoyResource =>
  encodedResource(typeUrl, name, Buffer.from(text));

const fromProtoJson = (typeUrl: string, name: string, schema: DescMessage, json: JsonValue): EnvoyResource =>
  encodedResource(typeUrl, name, toBinary(schema, fromJson(schema, json, { registry })));

/** Makes publications `s1`, `s2`, … for one gateway. */
export function publisher(server: XdsServer, key = gateway) {
  let count = 0;
  const publish = (change: Partial<GatewayChange>, id = `s${count + 1}`): string => {
    count += 1;
    server.publish(publicationOf(id, [{ gateway: key, upserts: [], removals: [], ...change }]));
    return id;
  };
  return publish;
}

export const publicationOf = (id: string, changes: readonly GatewayChange[]): Publication => ({
  marker: {
    id,
    generatedAt: new Date('2026-01-02T03:04:05.678Z'),
    gateways: 1,
    listeners: 2,
    routes: 3,
    backends: 4,
  },
  changes,
  digests: new Map(changes.map(({ gateway: key }) => [key, `digest-of-${id}`])),
});

export const removalOf = ({
  typeUrl,
  name,
}: Pick<EnvoyResource, 'typeUrl' | 'name'>): Pick<EnvoyResource, 'typeUrl' | 'name'> => ({ typeUrl, name });

const ads = { ads: {}, resourceApiVersion: 'V3' };

/** An EDS cluster that real Envoy takes. */
export const realCluster = (name: string, more: Record<string, JsonValue> = {}): EnvoyResource =>
  fromProtoJson(typeUrls.cluster, name, ClusterSchema, {
    name,
    type: 'EDS',
    connectTimeout: '1s',
    edsClusterConfig: { edsConfig: ads },
    ...more,
  });

export const realEndpoints = (name: string, ...ports: number[]): EnvoyResource =>
  fromProtoJson(typeUrls.endpoint, name, ClusterLoadAssignmentSchema, {
    clusterName: name,
    endpoints: [
      {
        lbEndpoints: ports.map((portValue) => ({
          endpoint: { address: { socketAddress: { address: '127.0.0.1', portValue } } },
        })),
      },
    ],
  });

/** A listener on a free port, with scoped routes by the `:authority` header. */
export const realListener = (name: string): EnvoyResource =>
  fromProtoJson(typeUrls.listener, name, ListenerSchema, {
    name,
    address: { socketAddress: { address: '127.0.0.1', portValue: 0 } },
    filterChains: [{ filters: [{ name: 'hcm', typedConfig: scopedManager(name) }] }],
  });

const scopedManager = (name: string): JsonValue => ({
  '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  statPrefix: name,
  stripAnyHostPort: true,
  scopedRoutes: {
    name: 'scopes',
    scopeKeyBuilder: { fragments: [{ headerValueExtractor: { name: ':authority', index: 0 } }] },
    rdsConfigSource: ads,
    scopedRds: { scopedRdsConfigSource: ads },
  },
  httpFilters: [
    {
      name: 'envoy.filters.http.router',
      typedConfig: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
    },
  ],
});

/** Sends everything for the host to a cluster. `match` may be spoilt to get a NACK. */
export const realScope = (host: string, cluster: string, match: JsonValue = { prefix: '/' }): EnvoyResource =>
  fromProtoJson(typeUrls.scopedRoute, host, ScopedRouteConfigurationSchema, {
    name: host,
    key: { fragments: [{ stringKey: host }] },
    routeConfiguration: {
      name: host,
      virtualHosts: [{ name: host, domains: ['*'], routes: [{ match, route: { cluster } }] }],
    },
  });

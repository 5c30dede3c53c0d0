import { createHash } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  ApiVersion,
  Cluster_DiscoveryType,
  ClusterLoadAssignmentSchema,
  ClusterSchema,
  ConfigSourceSchema,
  HttpConnectionManagerSchema,
  ListenerSchema,
  packAny,
  RouteConfigurationSchema,
  RouterSchema,
  typeUrls,
} from '../../src/envoy/index.ts';
import type { EnvoyResource } from '../../src/translate/index.ts';

/** Four resources that make Envoy forward everything on one port to one backend. */

function resource<Desc extends DescMessage>(
  typeUrl: string,
  name: string,
  schema: Desc,
  init: MessageInitShape<Desc>,
): EnvoyResource {
  const body = toBinary(schema, create(schema, init));
  return { typeUrl, name, body, version: createHash('sha256').update(body).digest('hex').slice(0, 16) };
}

const overAds = () =>
  create(ConfigSourceSchema, {
    resourceApiVersion: ApiVersion.V3,
    configSourceSpecifier: { case: 'ads', value: {} },
  });

const socketAddress = (address: string, port: number) => ({
  address: {
    case: 'socketAddress' as const,
    value: { address, portSpecifier: { case: 'portValue' as const, value: port } },
  },
});

/** A listener `http/PORT` on 127.0.0.1 that takes its routes over RDS under its own name. */
export function httpListener(port: number, name = `http/${port}`): EnvoyResource {
  const manager = create(HttpConnectionManagerSchema, {
    statPrefix: name,
    routeSpecifier: { case: 'rds', value: { routeConfigName: name, configSource: overAds() } },
    httpFilters: [
      {
        name: 'envoy.filters.http.router',
        configType: { case: 'typedConfig', value: packAny(RouterSchema, create(RouterSchema)) },
      },
    ],
  });
  return resource(typeUrls.listener, name, ListenerSchema, {
    name,
    statPrefix: name,
    address: socketAddress('127.0.0.1', port),
    // Two listeners on one port must collide, as they would with another program's.
    enableReusePort: false,
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
}

/** Everything on the listener goes to the cluster. `regex`: only the paths it matches. */
export function routes(listener: string, cluster: string, regex?: string): EnvoyResource {
  const match =
    regex === undefined ? { case: 'prefix' as const, value: '/' } : { case: 'safeRegex' as const, value: { regex } };
  return resource(typeUrls.route, listener, RouteConfigurationSchema, {
    name: listener,
    virtualHosts: [
      {
        name: 'all',
        domains: ['*'],
        routes: [
          {
            match: { pathSpecifier: match },
            action: { case: 'route', value: { clusterSpecifier: { case: 'cluster', value: cluster }, timeout: {} } },
          },
        ],
      },
    ],
  });
}

/** A cluster that takes its endpoints over EDS. */
export function cluster(name: string): EnvoyResource {
  return resource(typeUrls.cluster, name, ClusterSchema, {
    name,
    connectTimeout: { seconds: 1n },
    clusterDiscoveryType: { case: 'type', value: Cluster_DiscoveryType.EDS },
    edsClusterConfig: { edsConfig: overAds() },
  });
}

/** One endpoint on 127.0.0.1. */
export const endpoints = (name: string, port: number): EnvoyResource =>
  endpointsOf(name, [{ address: '127.0.0.1', port }]);

export function endpointsOf(
  name: string,
  members: readonly { readonly address: string; readonly port: number }[],
): EnvoyResource {
  return resource(typeUrls.endpoint, name, ClusterLoadAssignmentSchema, {
    clusterName: name,
    endpoints: [
      {
        lbEndpoints: members.map(({ address, port }) => ({
          hostIdentifier: { case: 'endpoint' as const, value: { address: socketAddress(address, port) } },
        })),
      },
    ],
  });
}

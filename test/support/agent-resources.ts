import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import {
  ApiVersion,
  Cluster_DiscoveryType,
  ClusterLoadAssignmentSchema,
  ClusterSchema,
  HttpConnectionManager_CodecType as CodecType,
  ConfigSourceSchema,
  HttpConnectionManagerSchema,
  ListenerSchema,
  LuaSchema,
  packAny,
  QuicDownstreamTransportSchema,
  RouteConfigurationSchema,
  RouterSchema,
  SocketAddress_Protocol,
  typeUrls,
} from '../../src/envoy/index.ts';
import type { EnvoyResource } from '../../src/translate/index.ts';
import { resourceOf } from '../../src/translate/resource/resource.ts';

/** Four resources that make Envoy forward everything on one port to one backend. */

function resource<Desc extends DescMessage>(
  typeUrl: string,
  name: string,
  schema: Desc,
  init: MessageInitShape<Desc>,
): EnvoyResource {
  return resourceOf(typeUrl, name, schema, create(schema, init));
}

const overAds = () =>
  create(ConfigSourceSchema, {
    resourceApiVersion: ApiVersion.V3,
    configSourceSpecifier: { case: 'ads', value: {} },
  });

const socketAddress = (address: string, port: number, protocol = SocketAddress_Protocol.TCP) => ({
  address: {
    case: 'socketAddress' as const,
    value: { address, protocol, portSpecifier: { case: 'portValue' as const, value: port } },
  },
});

function manager(statPrefix: string, routeConfigName: string, { codecType = CodecType.AUTO, script = '' } = {}) {
  const message = create(HttpConnectionManagerSchema, {
    statPrefix,
    codecType,
    routeSpecifier: { case: 'rds', value: { routeConfigName, configSource: overAds() } },
    httpFilters: [
      ...(script === '' ? [] : [luaFilter(script)]),
      {
        name: 'envoy.filters.http.router',
        configType: { case: 'typedConfig', value: packAny(RouterSchema, create(RouterSchema)) },
      },
    ],
  });
  return {
    name: 'envoy.filters.network.http_connection_manager',
    configType: { case: 'typedConfig' as const, value: packAny(HttpConnectionManagerSchema, message) },
  };
}

function luaFilter(inlineString: string) {
  const lua = create(LuaSchema, { defaultSourceCode: { specifier: { case: 'inlineString', value: inlineString } } });
  return {
    name: 'envoy.filters.http.lua',
    configType: { case: 'typedConfig' as const, value: packAny(LuaSchema, lua) },
  };
}

/** What Envoy runs while it takes the listener: a fault of Envoy's own, as far as the agent can see. */
const segmentationFault = "local ffi = require('ffi'); ffi.cdef('int raise(int);'); ffi.C.raise(11)";

/** A listener that ends every Envoy that takes it, by SIGSEGV. */
export function deadlyListener(port: number): EnvoyResource {
  const name = `http/${port}`;
  return resource(typeUrls.listener, name, ListenerSchema, {
    name,
    statPrefix: name,
    address: socketAddress('127.0.0.1', port),
    enableReusePort: false,
    filterChains: [{ filters: [manager(name, name, { script: segmentationFault })] }],
  });
}

/** A listener `http/PORT` with a script that Envoy cannot read. What it is made from is itself. */
export function rejectedListener(port: number): EnvoyResource {
  const name = `http/${port}`;
  const made = resource(typeUrls.listener, name, ListenerSchema, {
    name,
    statPrefix: name,
    address: socketAddress('127.0.0.1', port),
    enableReusePort: false,
    filterChains: [{ filters: [manager(name, name, { script: 'this is no Lua (' })] }],
  });
  return { ...made, provenance: { origins: () => [{ kind: 'listener', key: name, digest: 1n }] } };
}

/** A listener `http/PORT` on 127.0.0.1 that takes its routes over RDS under its own name. With another `bufferBytes` it is another one. */
export function httpListener(port: number, name = `http/${port}`, bufferBytes?: number): EnvoyResource {
  return resource(typeUrls.listener, name, ListenerSchema, {
    name,
    statPrefix: name,
    address: socketAddress('127.0.0.1', port),
    ...(bufferBytes !== undefined && { perConnectionBufferLimitBytes: bufferBytes }),
    // Two listeners on one port must collide, as they would with another program's.
    enableReusePort: false,
    filterChains: [{ filters: [manager(name, name)] }],
  });
}

/** HTTP/3 on the UDP port, with the certificate given in PEM and the routes of this name. */
export function quicListener(
  port: number,
  routeConfigName: string,
  { certificatePem, keyPem }: { readonly certificatePem: string; readonly keyPem: string },
): EnvoyResource {
  const name = `http3/${port}`;
  const inline = (text: string) => ({ specifier: { case: 'inlineString' as const, value: text } });
  const tlsCertificates = [{ certificateChain: inline(certificatePem), privateKey: inline(keyPem) }];
  const transport = create(QuicDownstreamTransportSchema, {
    downstreamTlsContext: { commonTlsContext: { alpnProtocols: ['h3'], tlsCertificates } },
  });
  return resource(typeUrls.listener, name, ListenerSchema, {
    name,
    statPrefix: name,
    address: socketAddress('127.0.0.1', port, SocketAddress_Protocol.UDP),
    enableReusePort: true,
    udpListenerConfig: { quicOptions: {}, downstreamSocketConfig: { preferGro: true } },
    filterChains: [
      {
        transportSocket: {
          name: 'envoy.transport_sockets.quic',
          configType: { case: 'typedConfig', value: packAny(QuicDownstreamTransportSchema, transport) },
        },
        filters: [manager(name, routeConfigName, { codecType: CodecType.HTTP3 })],
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

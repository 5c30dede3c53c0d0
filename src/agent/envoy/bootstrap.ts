import { create, type JsonObject, toJsonString } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import {
  ApiConfigSource_ApiType,
  ApiVersion,
  type Bootstrap,
  BootstrapSchema,
  ClusterHttpProtocolOptionsSchema,
  type ConfigSource,
  ConfigSourceSchema,
  InternalListenerSchema,
  registry,
} from '../../envoy/index.ts';
import { agentService as agentCluster, maxRegexProgramSize, sessionService } from '../../ir/index.ts';
import { overloadManager } from './overload.ts';

export interface BootstrapOptions {
  readonly nodeId: string;
  /** `NAMESPACE/NAME` of the Gateway to serve. */
  readonly cluster: string;
  /** The zone that the proxy is in, where that is known. */
  readonly zone?: string | undefined;
  /** The agent's own version; the control plane shows it as the node's. */
  readonly version: string;
  /** Port of the agent's admin API, where the control plane asks how the data plane is. */
  readonly adminPort?: number;
  /** The unix socket on which the agent serves ADS. */
  readonly xdsSocket: string;
  /** The unix socket on which the agent tells what clients' tokens stand for. */
  readonly sessionSocket: string;
  /** The unix socket on which Envoy is to open its admin interface. */
  readonly adminSocket: string;
  /** Envoy sheds load as its heap comes near this size, in bytes. */
  readonly maxHeapBytes: number;
  /** Envoy refuses connections above this number. */
  readonly maxConnections: number;
}

/** Name of the cluster that stands for the proxy itself. */
const selfCluster = 'gatewright_self';

/**
 * Statistics that nobody reads and that exist once for each RouteConfiguration: at 20,000 hosts they are hundreds of
 * thousands, and cost memory and time at every change. This is a part of their names.
 */
const unreadStats = '.rds.';

/**
 * Envoy counts threads that did not answer for so long. Each looks as often as the shorter time says, whether there is traffic
 * or not: by default five times a second for every thread, which a node with many quiet proxies pays for.
 */
const watchdog = { missTimeout: { seconds: 1n }, megamissTimeout: { seconds: 5n } };

/** Envoy's bootstrap: everything it must know before it can ask for the rest. */
export function bootstrap(options: BootstrapOptions): Bootstrap {
  const { nodeId: id, cluster, version, adminPort, zone, adminSocket } = options;
  return create(BootstrapSchema, {
    node: {
      id,
      cluster,
      metadata: {
        gatewright_version: version,
        ...(adminPort !== undefined && { gatewright_admin_port: adminPort }),
      } satisfies JsonObject,
      ...(zone && { locality: { zone } }),
    },
    // Envoy looks for endpoints of its own zone only where it has a cluster that it is part of.
    ...(zone && { clusterManager: { localClusterName: selfCluster } }),
    admin: { address: pipe(adminSocket) },
    dynamicResources: {
      adsConfig: {
        apiType: ApiConfigSource_ApiType.DELTA_GRPC,
        transportApiVersion: ApiVersion.V3,
        setNodeOnFirstMessageOnly: true,
        grpcServices: [{ targetSpecifier: { case: 'envoyGrpc', value: { clusterName: agentCluster } } }],
      },
      cdsConfig: overAds(),
      ldsConfig: overAds(),
    },
    staticResources: {
      clusters: [agent(options.xdsSocket), sessions(options.sessionSocket), ...(zone ? [self(zone, adminSocket)] : [])],
    },
    // Requests to models pass through listeners within the proxy.
    bootstrapExtensions: [
      {
        name: 'envoy.bootstrap.internal_listener',
        typedConfig: anyPack(InternalListenerSchema, create(InternalListenerSchema)),
      },
    ],
    overloadManager: overloadManager(options),
    watchdogs: { mainThreadWatchdog: watchdog, workerWatchdog: watchdog },
    layeredRuntime: { layers: [{ name: 'static', layerSpecifier: { case: 'staticLayer', value: runtime } }] },
    statsConfig: {
      statsMatcher: {
        statsMatcher: {
          case: 'exclusionList',
          value: { patterns: [{ matchPattern: { case: 'contains', value: unreadStats } }] },
        },
      },
    },
    // Statistics of a cluster that gets no traffic take no memory.
    deferredStatOptions: { enableDeferredCreationStats: true },
    // Histograms are merged when somebody reads them, not every five seconds.
    statsFlush: { case: 'statsFlushOnAdmin', value: true },
  });
}

/** The bootstrap as Envoy's `--config-path` reads it. */
export function bootstrapJson(options: BootstrapOptions): string {
  return toJsonString(BootstrapSchema, bootstrap(options), { registry, useProtoFieldName: true, prettySpaces: 2 });
}

const runtime: JsonObject = {
  're2.max_program_size.error_level': maxRegexProgramSize,
  're2.max_program_size.warn_level': maxRegexProgramSize,
};

const pipe = (path: string) => ({ address: { case: 'pipe' as const, value: { path } } });

/** No time limit on the first answer: an Envoy without configuration must wait for it, not go live and serve nothing. */
function overAds(): ConfigSource {
  return create(ConfigSourceSchema, {
    configSourceSpecifier: { case: 'ads', value: {} },
    resourceApiVersion: ApiVersion.V3,
    initialFetchTimeout: {},
  });
}

function agent(socketPath: string) {
  const http2 = create(ClusterHttpProtocolOptionsSchema, {
    upstreamProtocolOptions: {
      case: 'explicitHttpConfig',
      value: { protocolConfig: { case: 'http2ProtocolOptions', value: {} } },
    },
  });
  return {
    name: agentCluster,
    connectTimeout: { seconds: 5n },
    typedExtensionProtocolOptions: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': anyPack(ClusterHttpProtocolOptionsSchema, http2),
    },
    loadAssignment: {
      clusterName: agentCluster,
      endpoints: [
        {
          lbEndpoints: [{ hostIdentifier: { case: 'endpoint' as const, value: { address: pipe(socketPath) } } }],
        },
      ],
    },
  };
}

/** By HTTP/1.1, from Envoy's filter for sessions. */
const sessions = (socketPath: string) => ({
  name: sessionService,
  connectTimeout: { seconds: 1n },
  loadAssignment: {
    clusterName: sessionService,
    endpoints: [
      {
        lbEndpoints: [{ hostIdentifier: { case: 'endpoint' as const, value: { address: pipe(socketPath) } } }],
      },
    ],
  },
});

/** Nothing is sent there; an address it must have. One member in one zone: all of the proxy's requests are that zone's. */
const self = (zone: string, socketPath: string) => ({
  name: selfCluster,
  connectTimeout: { seconds: 5n },
  loadAssignment: {
    clusterName: selfCluster,
    endpoints: [
      {
        locality: { zone },
        lbEndpoints: [{ hostIdentifier: { case: 'endpoint' as const, value: { address: pipe(socketPath) } } }],
      },
    ],
  },
});

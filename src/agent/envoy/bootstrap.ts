import {
  agentService as agentCluster,
  heldService,
  maxRegexProgramSize,
  passwordService,
  sessionService,
  sharedLimitService,
  trafficEvictionSeconds,
  trafficService,
} from '../../contracts/index.ts';
import { overloadManager } from './overload.ts';
import { type MetricSinks, statSinks } from './stat-sinks.ts';
import { typed } from './typed.ts';

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
  /** The unix socket on which the agent answers short questions and takes what was used. */
  readonly askSocket: string;
  /** The unix socket on which the agent says whether shared limits let requests through. */
  readonly limitSocket: string;
  /** The unix socket on which the agent answers what clients' tokens stand for. */
  readonly sessionSocket: string;
  /** The unix socket on which the agent says whether passwords are right. */
  readonly passwordSocket: string;
  /** The unix socket on which Envoy is to open its admin interface. */
  readonly adminSocket: string;
  /** The agent's name server, on loopback: the only one that Envoy asks. */
  readonly nameServer: { readonly address: string; readonly port: number };
  /** Envoy sheds load as its heap comes near this size, in bytes. */
  readonly maxHeapBytes: number;
  /** Envoy refuses connections above this number. */
  readonly maxConnections: number;
  /** Where Envoy sends its metrics. */
  readonly metrics?: MetricSinks | undefined;
}

/** Name of the cluster by which Envoy gets its configuration. */
const xdsCluster = 'gatewright_xds';

/** Name of the cluster that stands for the proxy itself. */
const selfCluster = 'gatewright_self';

/**
 * Unused statistics that exist once for each RouteConfiguration: at 20,000 hosts they are hundreds of
 * thousands, and cost memory and time at every change. This is a part of their names.
 */
const unreadStats = '.rds.';

/**
 * Envoy counts threads that did not answer for so long. Each looks as often as the shorter time says, whether there is traffic
 * or not: by default five times a second for every thread, which a node with many quiet proxies pays for.
 */
const watchdog = { miss_timeout: '1s', megamiss_timeout: '5s' };

/**
 * Envoy's bootstrap, as its `--config-path` reads it: everything it must know before it can ask for the rest. It is
 * `envoy.config.bootstrap.v3.Bootstrap` in protobuf's JSON, written as such: from its generated type it would take the descriptors of all of Envoy
 * to write it once. A test holds it against the type.
 */
export const bootstrapJson = (options: BootstrapOptions): string => JSON.stringify(bootstrap(options), null, 2);

function bootstrap(options: BootstrapOptions) {
  const { nodeId: id, cluster, version, adminPort, zone, adminSocket } = options;
  const metrics = statSinks(options.metrics);
  return {
    node: {
      id,
      cluster,
      metadata: {
        gatewright_version: version,
        ...(adminPort !== undefined && { gatewright_admin_port: adminPort }),
      },
      ...(zone && { locality: { zone } }),
    },
    // Envoy looks for endpoints of its own zone only where it has a cluster that it is part of.
    ...(zone && { cluster_manager: { local_cluster_name: selfCluster } }),
    admin: { address: pipe(adminSocket) },
    typed_dns_resolver_config: nameResolver(options.nameServer),
    dynamic_resources: {
      ads_config: {
        api_type: 'DELTA_GRPC',
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: xdsCluster } }],
      },
      cds_config: overAds,
      lds_config: overAds,
    },
    static_resources: {
      clusters: [
        byHttp2(xdsCluster, options.xdsSocket),
        byHttp2(agentCluster, options.askSocket),
        unbounded(sharedLimitService, options.limitSocket),
        unbounded(heldService, options.xdsSocket),
        traffic(options.xdsSocket),
        byHttp1(sessionService, options.sessionSocket),
        byHttp1(passwordService, options.passwordSocket),
        ...(zone ? [self(zone, adminSocket)] : []),
        ...metrics.clusters,
      ],
    },
    // Requests to models pass through listeners within the proxy.
    bootstrap_extensions: [
      {
        name: 'envoy.bootstrap.internal_listener',
        typed_config: typed('envoy.extensions.bootstrap.internal_listener.v3.InternalListener'),
      },
    ],
    overload_manager: overloadManager(options),
    watchdogs: { main_thread_watchdog: watchdog, worker_watchdog: watchdog },
    layered_runtime: { layers: [{ name: 'static', static_layer: runtime }] },
    stats_config: { stats_matcher: { exclusion_list: { patterns: [{ contains: unreadStats }] } } },
    // Statistics of a cluster that gets no traffic take no memory.
    deferred_stat_options: { enable_deferred_creation_stats: true },
    // Without receivers, histograms are merged when they are read, not every few seconds.
    ...metrics.flush,
    // Counters of routes that get no request any more.
    stats_eviction_interval: `${trafficEvictionSeconds}s`,
  };
}

const caresConfig = 'envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig';

/** The agent goes through search domains itself, and answers, or says that it cannot, in less than the time given here. */
const nameResolver = ({ address, port }: BootstrapOptions['nameServer']) => ({
  name: 'envoy.network.dns_resolver.cares',
  typed_config: typed(caresConfig, {
    resolvers: [{ socket_address: { address, port_value: port } }],
    use_resolvers_as_fallback: false,
    dns_resolver_options: { no_default_search_domain: true },
    query_timeout_seconds: 5,
    query_tries: 2,
  }),
});

const runtime = {
  're2.max_program_size.error_level': maxRegexProgramSize,
  're2.max_program_size.warn_level': maxRegexProgramSize,
};

const pipe = (path: string) => ({ pipe: { path } });

/** No time limit on the first answer: an Envoy without configuration must wait for it, not go live and serve nothing. */
const overAds = { ads: {}, resource_api_version: 'V3', initial_fetch_timeout: '0s' };

const protocolOptions = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

const byHttp2 = (name: string, socketPath: string) => ({
  name,
  connect_timeout: '5s',
  typed_extension_protocol_options: {
    [protocolOptions]: typed(protocolOptions, { explicit_http_config: { http2_protocol_options: {} } }),
  },
  load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [endpoint(socketPath)] }] },
});

/** There may be as many streams as there are requests: one that found no place would come through without its limit. */
const unbounded = (name: string, socketPath: string) => ({
  ...byHttp2(name, socketPath),
  circuit_breakers: { thresholds: [{ max_requests: 4_294_967_295, max_pending_requests: 4_294_967_295 }] },
});

/** A stream's smallest window, in HTTP/2. */
const smallestWindow = 65_535;

/** Failed requests: few are held back while the agent takes none, and the rest is dropped. */
const traffic = (socketPath: string) => ({
  name: trafficService,
  connect_timeout: '5s',
  per_connection_buffer_limit_bytes: smallestWindow,
  typed_extension_protocol_options: {
    [protocolOptions]: typed(protocolOptions, {
      explicit_http_config: {
        http2_protocol_options: {
          initial_stream_window_size: smallestWindow,
          initial_connection_window_size: smallestWindow,
        },
      },
    }),
  },
  load_assignment: { cluster_name: trafficService, endpoints: [{ lb_endpoints: [endpoint(socketPath)] }] },
});

/** What Envoy's filters ask the agent at a time, each on a connection: it answers most at once, also that it has too much to do. */
const mostQuestions = { max_connections: 4096, max_pending_requests: 4096, max_requests: 4096 };

/** What Envoy's filters ask the agent. */
const byHttp1 = (name: string, socketPath: string) => ({
  name,
  connect_timeout: '1s',
  circuit_breakers: { thresholds: [mostQuestions] },
  load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [endpoint(socketPath)] }] },
});

/** Nothing is sent there; an address it must have. One member in one zone: all of the proxy's requests are that zone's. */
const self = (zone: string, socketPath: string) => ({
  name: selfCluster,
  connect_timeout: '5s',
  load_assignment: {
    cluster_name: selfCluster,
    endpoints: [{ locality: { zone }, lb_endpoints: [endpoint(socketPath)] }],
  },
});

const endpoint = (socketPath: string) => ({ endpoint: { address: pipe(socketPath) } });

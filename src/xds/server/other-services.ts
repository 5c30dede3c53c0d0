import { type Server, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { rawMethod } from '../methods/index.ts';

/** What an Envoy or another xDS client asks for that is set up for something else than ADS: service → methods. */
const others: Readonly<Record<string, readonly string[]>> = {
  'envoy.service.cluster.v3.ClusterDiscoveryService': ['StreamClusters', 'DeltaClusters'],
  'envoy.service.endpoint.v3.EndpointDiscoveryService': ['StreamEndpoints', 'DeltaEndpoints'],
  'envoy.service.listener.v3.ListenerDiscoveryService': ['StreamListeners', 'DeltaListeners'],
  'envoy.service.route.v3.RouteDiscoveryService': ['StreamRoutes', 'DeltaRoutes'],
  'envoy.service.route.v3.ScopedRoutesDiscoveryService': ['StreamScopedRoutes', 'DeltaScopedRoutes'],
  'envoy.service.route.v3.VirtualHostDiscoveryService': ['DeltaVirtualHosts'],
  'envoy.service.secret.v3.SecretDiscoveryService': ['StreamSecrets', 'DeltaSecrets'],
  'envoy.service.extension.v3.ExtensionConfigDiscoveryService': ['StreamExtensionConfigs', 'DeltaExtensionConfigs'],
  'envoy.service.runtime.v3.RuntimeDiscoveryService': ['StreamRuntime', 'DeltaRuntime'],
  'envoy.service.load_stats.v3.LoadReportingService': ['StreamLoadStats'],
  'envoy.service.health.v3.HealthDiscoveryService': ['StreamHealthCheck'],
  'envoy.service.discovery.v2.AggregatedDiscoveryService': ['StreamAggregatedResources', 'DeltaAggregatedResources'],
};

const details =
  'only ADS is served here (envoy.service.discovery.v3.AggregatedDiscoveryService): set ads_config in dynamic_resources, and "ads: {}" as every config_source';

/** Answers the methods of other services of xDS, which the gRPC library would reject without a hint. Each call is reported with its peer. */
export function rejectOtherServices(server: Server, onCall: (path: string, peer: string) => void): void {
  for (const [service, methods] of Object.entries(others)) {
    const entries = methods.map((name) => [name, rawMethod(`/${service}/${name}`)] as const);
    const reject = (call: ServerDuplexStream<Uint8Array, Uint8Array>, path: string): void => {
      onCall(path, call.getPeer());
      call.emit('error', Object.assign(new Error(details), { code: status.UNIMPLEMENTED, details }));
    };
    server.addService(
      Object.fromEntries(entries),
      Object.fromEntries(
        entries.map(([name, { path }]) => [
          name,
          (call: ServerDuplexStream<Uint8Array, Uint8Array>) => reject(call, path),
        ]),
      ),
    );
  }
}

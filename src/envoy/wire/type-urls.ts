/** The type URLs of what travels over xDS, by our name for it. `snapshot`, `module` and `trial` are our own: see snapshot.proto, wasm_module.proto, trial.proto. */
export const typeUrls = {
  listener: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  route: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  scopedRoute: 'type.googleapis.com/envoy.config.route.v3.ScopedRouteConfiguration',
  virtualHost: 'type.googleapis.com/envoy.config.route.v3.VirtualHost',
  cluster: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  endpoint: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  secret: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
  extension: 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
  module: 'type.googleapis.com/gatewright.v1.WasmModule',
  snapshot: 'type.googleapis.com/gatewright.v1.Snapshot',
  trial: 'type.googleapis.com/gatewright.v1.Trial',
} as const;

/** One of {@link typeUrls}. */
export type TypeUrl = (typeof typeUrls)[keyof typeof typeUrls];

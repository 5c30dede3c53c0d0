import * as z from 'zod';
import { flag, object } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** What a dashboard may show: each is true only while it works. */
export const capabilities = object({
  overview: flag,
  gateways: flag,
  routes: flag,
  httpRoutes: flag,
  grpcRoutes: flag,
  tcpRoutes: flag,
  udpRoutes: flag,
  tlsRoutes: flag,
  listenerSets: flag,
  referenceGrants: flag,
  backendTls: flag,
  backendPolicies: flag,
  listenerPolicies: flag,
  dataPlanes: flag,
  /** Objects of kind BackendLBPolicy, which was never in a release of the Gateway API: there are none here. */
  backendLb: flag,
  /** Limits of backends as pages show them that read metrics of another data plane; here they are in `/v1/backends`. */
  circuitBreaker: flag,
  /** Plugins in Envoy: there are none here. */
  wasmPlugins: flag,
  nodes: flag,
  topology: flag,
  diagnostics: flag,
  observability: flag,
  managedResources: flag,
  writes: flag,
  aiOverview: flag,
  aiServices: flag,
  aiTokenPolicies: flag,
  aiCost: flag,
  aiTraces: flag,
  aiUsage: flag,
  chatbot: flag,
  metrics: flag,
  settings: flag,
});

export type Capabilities = Shown<typeof capabilities>;

export const verified = object({
  authenticated: z.literal(true),
  readOnly: flag,
  /** For a token of the cluster. */
  user: z.string().optional(),
});

import * as z from 'zod';
import { flag, named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

export const capabilities = named('Capabilities', 'What a dashboard may show: each is true only while it works.', {
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
  page: flag.describe('Whether there is a web page at `/`.'),
  pageWrites: flag.describe('Whether that page offers what the token may write.'),
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

export const verified = named('Verified', 'Whether the token is good, and for what.', {
  authenticated: z.literal(true),
  readOnly: flag,
  mode: z.enum(['cluster', 'directory']).describe('Where objects come from.'),
  directory: z.string().nullable().describe('Its path on the machine of the control plane.'),
  /** For a token of the cluster. */
  user: z.string().optional(),
});

/**
 * The data plane's agent: Envoy's bootstrap and supervision, the relay of its configuration, and the admin API of the data
 * plane. Knows xDS and Envoy, and nothing of Kubernetes or of what a route is.
 */
export { type AccessFiles, openAccess } from './access/index.ts';
export { DataPlaneAgent, type EnvoyChanges } from './data-plane-agent.ts';
export type { AgentAdminAuth, DataPlaneAgentOptions, EgressOptions } from './options.ts';

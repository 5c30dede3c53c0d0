/**
 * The stored resources with their edges and conditions, and the builder that turns them into snapshots. Knows the
 * Gateway API and the IR; nothing of Envoy, and nothing of how objects are fetched or written.
 */
export { aiServiceEdges, markChangedAiService } from './ai/ai-edges.ts';
export { aiServiceProvider } from './ai/ai-provider.ts';
export { aiServiceConditions } from './ai/ai-status.ts';
export { tokenPolicyEdges } from './ai/budget-headers.ts';
export { markTokenPolicy, tokenPolicyConditions } from './ai/token-policy.ts';
export { backendPolicyConditions, tunedTargets, tuningOf } from './backend-policy.ts';
export { backendTlsEdges, backendTlsPolicyConditions, markBackendTlsPolicy, tlsSetting } from './backend-tls-policy.ts';
export { cookieNameOf } from './backends/session.ts';
export { buildMetrics } from './build-metrics.ts';
export { Builder, type BuilderOptions } from './builder.ts';
export { dataPlaneStatus } from './data-plane-status.ts';
export { BuildFault } from './engine/build-fault.ts';
export type { TranslatorLimits } from './engine/limits.ts';
export type { StatusChange } from './engine/status-book.ts';
export type { SettledFleet } from './fleets/fleet.ts';
export type { Binder, DataPlaneState, SettledGateway } from './gateways/gateway.ts';
export { type BuildResult, Graph, type GraphOptions } from './graph.ts';
export { listenerPolicyConditions, settleListenerPolicies } from './listener-policy.ts';
export { listenerPolicyEdges, markListenerPolicy } from './listener-policy-index.ts';
export { portOfBackend } from './model/backend-key.ts';
export type { BackendSession } from './model/backend-session.ts';
export type { ObjectReference } from './model/object-reference.ts';
export { markTargets } from './policy-targets.ts';
export type { Refusal } from './quarantine/quarantine.ts';
export {
  markTrafficPolicy,
  retrySetting,
  sessionOfTarget,
  trafficPolicyConditions,
  trafficTargets,
} from './traffic-policy.ts';
export type { GraphCopy, GraphView, ListenerView } from './view.ts';
export { markXBackend, xBackendEdges } from './x-backend-edges.ts';
export { xBackendProvider } from './x-backend-provider.ts';
export { xBackendConditions } from './x-backend-status.ts';

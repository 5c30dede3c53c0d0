/** Types and keys that the rooms of the graph share. */
export {
  appliesPolicies,
  type BackendKeyParts,
  type BackendVariant,
  backendKey,
  backendOwner,
  splitBackendKey,
  splitBackendOwner,
  type Transport,
  transportOf,
} from './backend-key.ts';
export type { BackendContent, BackendRefSpec, BackendUser, ResolvedBackend } from './backend-reference.ts';
export type { BackendSession } from './backend-session.ts';
export { compareAge } from './compare-age.ts';
export { compareText } from './compare-text.ts';
export { combineFaults, conditionOf, type Fault } from './condition.ts';
export { defined } from './defined.ts';
export type { PolicyOutcome } from './policy-outcome.ts';
export { routeKey } from './route-key.ts';

/** Types and keys that the rooms of the graph share. */
export { type BackendKeyParts, type BackendVariant, backendKey, type Transport, transportOf } from './backend-key.ts';
export type { BackendContent, ResolvedBackend } from './backend-reference.ts';
export { compareText } from './compare-text.ts';
export { routeKey } from './route-key.ts';

/**
 * Sticky sessions: what clients' tokens stand for. The agent makes the tokens, with a key that neither Envoy nor the control plane
 * has; Envoy asks for them over a unix socket, and looks them up.
 */
export { SessionKeys } from './session-keys.ts';
export { SessionServer } from './session-server.ts';
export { SessionTables } from './session-tables.ts';

/** How the agent reaches the control plane. Knows files, TLS and gRPC's credentials, and nothing of what is then said. */
export { type Access, AccessError, plainAccess } from './access.ts';
export { type AccessFiles, openAccess } from './file-access.ts';
export { connectTimeoutMs } from './impatient.ts';

/** Where references to backends lead, and the backends that are used. */
export { resolveBackend } from './backend-ref.ts';
export { retriesOfBackend } from './backend-retries.ts';
export { sessionOfShare, sessionsOfBackend } from './backend-session.ts';
export { UseBook } from './backend-users.ts';
export { forbiddenHost } from './host-fault.ts';
export { backendsOfOwner } from './owner-backends.ts';
export { cookieNameOf, sessionFault } from './session.ts';
export { type ResolvedTls, resolveValidation } from './tls-validation.ts';
export { UseSums } from './use-sums.ts';
export { UsedBackends } from './used-backends.ts';

/** Where references to backends lead, and the backends that are used. */
export { resolveBackend } from './backend-ref.ts';
export { forbiddenHost } from './host-fault.ts';
export { backendsOfOwner } from './owner-backends.ts';
export { sessionFault } from './session.ts';
export { type SettledTls, settleValidation } from './tls-validation.ts';

/** Where references to backends lead, and the backends that are used. */
export { backendsOfOwner, backendsOfService } from './owner-backends.ts';

/** Where references to backends lead, and the backends that are used. */
export { backendsOfOwner } from './owner-backends.ts';

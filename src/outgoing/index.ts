/** Calls to servers that users configure, by rules that keep such settings away from forbidden addresses. */
export { AddressGuard } from './address-guard.ts';
export { namedUrl } from './named-url.ts';
export { OutgoingError } from './outgoing-error.ts';
export { bodyOf, type OutgoingAnswer, type OutgoingRequest, open, send, type TlsOptions } from './send.ts';
export { below, readServerUrl } from './server-url.ts';
export { Turns } from './turns.ts';

/** Calls to servers that somebody configured, by rules that keep such settings from reaching what they should not. */
export { AddressGuard, type AddressGuardOptions } from './address-guard.ts';
export { OutgoingError, type OutgoingErrorCode } from './outgoing-error.ts';
export { bodyOf, type OutgoingAnswer, type OutgoingRequest, open, send, type TlsOptions } from './send.ts';
export { below, readServerUrl, type ServerUrl } from './server-url.ts';
export { Turns } from './turns.ts';

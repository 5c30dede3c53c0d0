/** Calls to servers that somebody configured, by rules that keep such settings from reaching what they should not. */
export { AddressGuard } from './address-guard.ts';
export { OutgoingError } from './outgoing-error.ts';
export { bodyOf, type OutgoingAnswer, type OutgoingRequest, open, send } from './send.ts';
export { below, readServerUrl } from './server-url.ts';
export { Turns } from './turns.ts';

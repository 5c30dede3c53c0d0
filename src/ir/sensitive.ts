import { Redacted } from '../std/index.ts';

/** Bytes of a key or a credential: see Redacted. */
export class Sensitive extends Redacted<Uint8Array> {}

import { Redacted } from '../std/index.ts';

/** A token or a password, so that a logged configuration does not give it away: see Redacted. */
export class SecretText extends Redacted<string> {}

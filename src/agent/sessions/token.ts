import { createHmac } from 'node:crypto';

/** What a token is good for; where any of it differs, so does the token. */
export interface TokenScope {
  /** ir.Session.scope */
  readonly scope: string;
  readonly lifetimeSeconds: number;
  /** See epochsAt. */
  readonly epoch: number;
  /** `HOST:PORT` of the endpoint. */
  readonly address: string;
}

/** 128 bits: too many to guess, and cookies stay short. */
const tokenBytes = 16;

/**
 * The token of one endpoint: an HMAC-SHA256 under the key, cut to 128 bits, as 22 characters of base64url. Says nothing of what it stands
 * for; equal in all agents that have the key.
 */
export const tokenOf = (key: Buffer, { scope, lifetimeSeconds, epoch, address }: TokenScope): string =>
  createHmac('sha256', key)
    // JSON keeps the parts apart, whatever is in them.
    .update(JSON.stringify(['gatewright session 1', scope, lifetimeSeconds, epoch, address]))
    .digest()
    .subarray(0, tokenBytes)
    .toString('base64url');

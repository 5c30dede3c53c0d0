import { randomBytes } from 'node:crypto';
import { signer } from '../../test/support/tokens.ts';

export const issuer = 'https://id.example.com';

/** As many tokens as a proxy’s cache of verified ones does not hold: 100 by default. Source: jwt_authn, `jwt_cache_size`. */
const manyTokens = 500;

/** Tokens of one provider, and the keys by which they are verified, which are given with the policy. */
export interface Tokens {
  readonly jwks: string;
  /** The same one every time. */
  readonly one: string;
  /** Another one each time: no cache has it. */
  readonly next: () => string;
}

export function tokensOf(algorithm: 'RS256' | 'ES256'): Tokens {
  const { jwk, token } = signer('bench', algorithm);
  const expires = Math.floor(Date.now() / 1000) + 86_400;
  const claims = { iss: issuer, aud: 'api', exp: expires, groups: ['staff', 'ops'], email: 'ann@example.com' };
  const made = Array.from({ length: manyTokens }, (_, at) => token({ ...claims, sub: `user-${at}` }));
  let at = 0;
  return {
    jwks: JSON.stringify({ keys: [jwk] }),
    one: token({ ...claims, sub: 'ann' }),
    next: () => made[at++ % made.length]!,
  };
}

/** A hundred clients, each with a key. */
export const apiKeys: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 100 }, (_, at) => [`client-${at}`, randomBytes(24).toString('base64url')]),
);

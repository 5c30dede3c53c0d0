import type { JWK } from 'jose';
import type { Claims } from '../presented.ts';
import { quoted } from '../verdict.ts';

/** A token as it is written; nothing in it is verified. */
export interface ReadToken {
  readonly text: string;
  readonly algorithm: string;
  readonly keyId: string;
  /** Names in `crit`. Envoy does not look at them. */
  readonly critical: readonly string[];
  readonly claims: Claims;
  /** Empty: it says none. */
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Seconds since 1970. 0: it says none. */
  readonly expires: number;
  readonly notBefore: number;
}

/** Those that Envoy verifies with public keys. */
const algorithms: ReadonlySet<string> = new Set([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
]);
const secretAlgorithms: ReadonlySet<string> = new Set(['HS256', 'HS384', 'HS512']);

/** As Envoy reads a token. */
export function readToken(text: string): ReadToken | { readonly fault: string } {
  const parts = text.split('.');
  const [header, claims] = parts.slice(0, 2).map(objectOf);
  if (parts.length !== 3 || !header || !claims) return { fault: 'is not a JWT' };
  const { alg, kid = '', crit = [] } = header;
  if (typeof alg !== 'string') return { fault: 'says no algorithm' };
  if (!algorithms.has(alg) && !secretAlgorithms.has(alg))
    return { fault: `has the algorithm ${quoted(alg)}, which no key is for` };
  if (typeof kid !== 'string') return { fault: 'has a kid that is not a text' };
  const { iss = '', sub = '', jti = '', aud = [], exp = 0, nbf = 0, iat = 0 } = claims;
  const audiences = [aud].flat();
  if (
    typeof iss !== 'string' ||
    !areTexts([sub, jti]) ||
    !areTexts(audiences) ||
    !isTime(exp) ||
    !isTime(nbf) ||
    !isTime(iat)
  )
    return { fault: 'has iss, sub, aud, jti, iat, exp or nbf of a wrong form' };
  return {
    text,
    algorithm: alg,
    keyId: kid,
    critical: [crit].flat().filter((name) => typeof name === 'string'),
    claims,
    issuer: iss,
    audiences,
    expires: exp,
    notBefore: nbf,
  };
}

const areTexts = (values: readonly unknown[]): values is readonly string[] =>
  values.every((value) => typeof value === 'string');

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0;

function objectOf(part: string): Claims | undefined {
  if (!/^[\w-]+$/.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

/** Why a signature does not hold with any of the keys; undefined: it does. */
export async function isSigned(token: ReadToken, jwks: string): Promise<string | undefined> {
  const { keyId } = token;
  const { keys } = JSON.parse(jwks) as { readonly keys: readonly JWK[] };
  const named = keys.filter(({ kid = '' }) => keyId === '' || kid === '' || kid === keyId);
  if (named.length === 0) return `key not known: no key of the provider has the kid ${quoted(keyId)}`;
  for (const key of named) if (await verifies(token, key)) return undefined;
  return 'the signature does not hold with the keys of the provider';
}

async function verifies(
  { text, algorithm, critical }: ReadToken,
  { use: _, key_ops: __, ...key }: JWK,
): Promise<boolean> {
  if ((key.alg ?? algorithm) !== algorithm) return false;
  // Only who tries a request with a token needs it.
  const { compactVerify, importJWK } = await import('jose');
  try {
    const crit = Object.fromEntries(critical.map((name) => [name, true]));
    await compactVerify(text, await importJWK(key, algorithm), { algorithms: [algorithm], crit });
    return true;
  } catch {
    return false;
  }
}

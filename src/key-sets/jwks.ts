import { createPublicKey, type JsonWebKey } from 'node:crypto';

/** Of what proxies get: each route that verifies tokens carries it. */
const maxBytes = 64 * 1024;

/** What proxies verify by. The rest is of no use to them, and of private keys it must not reach them. */
const fields = ['kty', 'n', 'e', 'crv', 'x', 'y', 'kid', 'alg', 'use'] as const;

/** Not symmetric ones: who can read such a set could sign by it. */
const publicTypes: readonly unknown[] = ['RSA', 'EC', 'OKP'];

type ReadKeys = { readonly keys: string } | { readonly fault: string };

/** The public keys of a JSON Web Key Set, in JSON, or why there are none. Keys that cannot be used beside others are left out. */
export function readJwks(text: string): ReadKeys {
  return Buffer.byteLength(text) > maxBytes ? tooLarge : readFetchedJwks(text);
}

/** The same of a set that a server answered with: certificates and the like in it do not count for its size. */
export function readFetchedJwks(text: string): ReadKeys {
  if (text.trim() === '') return { fault: 'is missing or empty' };
  const all = keysIn(text);
  if (!all) return { fault: 'is no JSON Web Key Set: write {"keys": [...]}' };
  const keys = JSON.stringify({ keys: pick(all) });
  if (Buffer.byteLength(keys) > maxBytes) return tooLarge;
  const usable = all.filter(isUsable);
  if (usable.length > 0) return { keys: JSON.stringify({ keys: pick(usable) }) };
  return { fault: all.length === 0 ? 'has no keys' : 'has no public key of type RSA, EC or OKP that can be used' };
}

const tooLarge: ReadKeys = { fault: `is larger than ${maxBytes / 1024} KiB` };

function keysIn(text: string): readonly JsonWebKey[] | undefined {
  try {
    const set: unknown = JSON.parse(text);
    const keys = typeof set === 'object' && set !== null && 'keys' in set ? set.keys : undefined;
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'object' && key !== null) : undefined;
  } catch {
    return undefined;
  }
}

function isUsable(key: JsonWebKey): boolean {
  if (!publicTypes.includes(key.kty) || key.use === 'enc') return false;
  if ([key.kid, key.alg, key.use].some((value) => value !== undefined && typeof value !== 'string')) return false;
  try {
    createPublicKey({ key: picked(key), format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

const pick = (keys: readonly JsonWebKey[]): readonly JsonWebKey[] => keys.map(picked);

const picked = (key: JsonWebKey): JsonWebKey =>
  Object.fromEntries(fields.flatMap((field) => (key[field] === undefined ? [] : [[field, key[field]]])));

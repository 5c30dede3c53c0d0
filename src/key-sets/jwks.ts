import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

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
  const flat = all.filter((key) => !fields.some((field) => isObject(key[field])));
  const keys = JSON.stringify({ keys: pick(flat) });
  if (Buffer.byteLength(keys) > maxBytes) return tooLarge;
  const usable = flat.filter(isUsable);
  if (usable.length > 0) return { keys: JSON.stringify({ keys: pick(usable) }) };
  return { fault: all.length === 0 ? 'has no keys' : 'has no public key of type RSA, EC or OKP that can be used' };
}

/** In a field of a key it may be nested too deep to be written again, or be one that cannot become a text. */
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

const tooLarge: ReadKeys = { fault: `is larger than ${maxBytes / 1024} KiB` };

function keysIn(text: string): readonly JsonWebKey[] | undefined {
  try {
    const set: unknown = JSON.parse(text);
    const keys = typeof set === 'object' && set !== null && 'keys' in set ? set.keys : undefined;
    return Array.isArray(keys) ? keys.filter((key) => isObject(key)) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether proxies can verify by a key. They reject what holds a set without such a key. */
function isUsable(key: JsonWebKey): boolean {
  if (!publicTypes.includes(key.kty) || key.use === 'enc') return false;
  if ([key.kid, key.alg, key.use].some((value) => value !== undefined && typeof value !== 'string')) return false;
  const algorithms = algorithmsOf(key);
  if (!algorithms || (key.alg && !algorithms.test(String(key.alg)))) return false;
  const { n = '', e = '', x = '', y = '' } = picked(key);
  if (![n, e, x, y].every((number) => isBase64Url(String(number)))) return false;
  try {
    return isSound(createPublicKey({ key: picked(key), format: 'jwk' }));
  } catch {
    return false;
  }
}

/** Node skips what is no digit, and a digit that begins no byte. */
const isBase64Url = (text: string): boolean => /^[\w-]*$/.test(text) && text.length % 4 !== 1;

/** The algorithms that proxies know for a type of key; undefined: they do not know the type. Source: Envoy's jwt_verify_lib, jwks.cc. */
function algorithmsOf({ kty, crv }: JsonWebKey): RegExp | undefined {
  if (kty === 'RSA') return /^[RP]S/;
  return curves.get(crv);
}

const curves: ReadonlyMap<unknown, RegExp> = new Map([
  ['P-256', /^ES256$/],
  ['P-384', /^ES384$/],
  ['P-521', /^ES512$/],
  ['Ed25519', /^EdDSA$/],
]);

/** What BoringSSL asks of the numbers of an RSA key, and Envoy of its exponent. */
function isSound(key: KeyObject): boolean {
  if (key.asymmetricKeyType !== 'rsa') return true;
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  const lastByte = Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url').at(-1) ?? 0;
  const isOdd = lastByte % 2 === 1;
  return isOdd && modulusLength >= 512 && modulusLength <= 16_384 && [3n, 65_537n].includes(publicExponent ?? 0n);
}

const pick = (keys: readonly JsonWebKey[]): readonly JsonWebKey[] => keys.map(picked);

const picked = (key: JsonWebKey): JsonWebKey =>
  Object.fromEntries(
    fields.flatMap((field) => (key[field] === undefined ? [] : [[field, unpadded(field, key[field])]])),
  );

const numbers: readonly string[] = ['n', 'e', 'x', 'y'];

/** Some servers pad numbers, which base64url in keys does not (RFC 7515). */
const unpadded = (field: string, value: unknown): unknown =>
  numbers.includes(field) && typeof value === 'string' ? value.replace(/={1,2}$/, '') : value;

import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import test from 'ava';
import { readJwks } from '../../src/key-sets/index.ts';
import { validateBootstrap } from '../support/envoy.ts';

// A server of keys, or a tenant's ConfigMap, with keys that Node takes and Envoy does not: a set of such keys alone would cost a listener.

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const fifth = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 5 }).publicKey.export({
  format: 'jwk',
});
const ofCurve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });
const ec = ofCurve('P-256');
const ed = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
const { n = '' } = rsa;
const modulus = (bytes: number) => Buffer.alloc(bytes, 0xff).toString('base64url');

const good: Readonly<Record<string, JsonWebKey>> = {
  rsa,
  'with an algorithm': { ...rsa, alg: 'PS512' },
  'with an empty algorithm': { ...rsa, alg: '' },
  'with exponent 3': { ...rsa, e: 'Aw' },
  'of 512 bits': { ...rsa, n: modulus(64) },
  'of 16,384 bits': { ...rsa, n: modulus(2048) },
  'with bits behind the last byte': { ...rsa, n: `${n.slice(0, -1)}${n.endsWith('x') ? 'z' : 'x'}` },
  ec,
  'with its algorithm': { ...ec, alg: 'ES256' },
  'padded, as some servers do': { ...ec, x: `${ec.x}=` },
  'P-384': ofCurve('P-384'),
  'P-521': ofCurve('P-521'),
  ed,
  'with EdDSA': { ...ed, alg: 'EdDSA' },
};

const bad: Readonly<Record<string, JsonWebKey>> = {
  'exponent 5': fifth,
  'exponent 1': { ...rsa, e: 'AQ' },
  'an even modulus': { ...rsa, n: `${n.slice(0, -2)}AA` },
  'a small modulus': { ...rsa, n: modulus(63) },
  'a modulus of zero': { ...rsa, n: 'AA' },
  'digits of base64': { ...rsa, n: `+/${n.slice(2)}` },
  'no digit': { ...rsa, n: `${n.slice(0, 50)}(${n.slice(51)}` },
  'a digit too many': { ...rsa, n: `${n.slice(0, 50)}AAA${n.slice(50)}` },
  'an exponent with a digit too many': { ...rsa, e: 'AQABA' },
  'a coordinate with a digit too many': { ...ec, x: `${ec.x}AA` },
  'an algorithm of EC': { ...rsa, alg: 'ES256' },
  'an algorithm of its own': { ...rsa, alg: 'constructor' },
  'a curve that Envoy does not know': ofCurve('secp256k1'),
  'a curve of a prototype': { ...ec, crv: 'constructor' },
  'an algorithm of another curve': { ...ec, alg: 'ES384' },
  Ed448: generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' }),
  'a key for encryption': generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }),
  'another name of EdDSA': { ...ed, alg: 'Ed25519' },
};

/** What Envoy says of providers with these sets; undefined: it takes them. */
const judged = (sets: readonly string[]) =>
  validateBootstrap({
    static_resources: {
      listeners: [
        {
          name: 'l',
          address: { socket_address: { address: '127.0.0.1', port_value: 0 } },
          filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager(sets) }] }],
        },
      ],
    },
  });

const types = 'type.googleapis.com/envoy.extensions.filters';
const manager = (sets: readonly string[]) => ({
  '@type': `${types}.network.http_connection_manager.v3.HttpConnectionManager`,
  stat_prefix: 'x',
  route_config: {},
  http_filters: [
    {
      name: 'jwt',
      typed_config: {
        '@type': `${types}.http.jwt_authn.v3.JwtAuthentication`,
        providers: Object.fromEntries(
          sets.map((inline_string, at) => [`p${at}`, { issuer: `i${at}`, local_jwks: { inline_string } }]),
        ),
      },
    },
    { name: 'router', typed_config: { '@type': `${types}.http.router.v3.Router` } },
  ],
});

const setOf = (...keys: readonly JsonWebKey[]): string => JSON.stringify({ keys });

test('every key that is passed on is one that Envoy takes', async (t) => {
  const sets = Object.entries(good).map(([name, key]) => {
    const read = readJwks(setOf(key));
    if (!('keys' in read)) throw new Error(`${name}: ${read.fault}`);
    return read.keys;
  });
  t.is(await judged(sets), undefined);
});

test('keys that Envoy does not take are left out, and cost none beside them', async (t) => {
  for (const [name, key] of Object.entries(bad)) t.true('fault' in readJwks(setOf(key)), name);
  const read = readJwks(setOf(...Object.values(bad), rsa));
  t.deepEqual(read, { keys: setOf({ kty: rsa.kty, n: rsa.n, e: rsa.e }) } as never);
  // Alone they do cost what holds them: a release of Envoy that takes them shows here.
  for (const name of ['exponent 5', 'no digit', 'a digit too many', 'Ed448', 'a curve that Envoy does not know'])
    t.regex((await judged([setOf(bad[name] as JsonWebKey)])) ?? 'taken', /invalid local jwks/, name);
});

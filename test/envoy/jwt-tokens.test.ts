import { createHmac, createPublicKey } from 'node:crypto';
import test from 'ava';
import { CompactSign, type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose';
import { readFetchedJwks } from '../../src/key-sets/index.ts';
import { send, startBackend } from '../support/http.ts';
import { httpListener, route, table, virtualHost } from '../support/ir.ts';
import { startProxy } from '../support/ir-proxy.ts';
import { signedTokens } from '../support/rfc-vectors.ts';

/** Tokens of every algorithm, and forgeries, against a real Envoy with a set as it is fetched. `rfc-vectors.test.ts` has examples of RFCs. */

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;
type Algorithm = (typeof algorithms)[number];

interface Pair {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

const pairs = new Map<Algorithm, Pair>();
for (const alg of algorithms) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  pairs.set(alg, { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: alg, alg, use: 'sig' } });
}
const pairOf = (alg: Algorithm): Pair => pairs.get(alg) as Pair;

const now = () => Math.floor(Date.now() / 1000);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed(claims: object, { alg, kid = alg, by = alg }: { alg: Algorithm; kid?: string; by?: Algorithm }) {
  const bytes = new TextEncoder().encode(JSON.stringify({ iss: 'joe', exp: now() + 3600, ...claims }));
  return new CompactSign(bytes).setProtectedHeader({ alg, kid }).sign(pairOf(by).privateKey);
}

/** A token whose secret is a public key that everyone knows. */
function byPublicKey(secret: string | Buffer, kid: string): string {
  const input = `${encoded({ alg: 'HS256', kid })}.${encoded({ iss: 'joe', exp: now() + 3600, sub: 'root' })}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

test('tokens of every algorithm are taken, and no forgery is', async (t) => {
  const set = readFetchedJwks(
    JSON.stringify({ keys: [...[...pairs.values()].map(({ jwk }) => jwk), ...signedTokens.map(({ key }) => key)] }),
  );
  if (!('keys' in set)) return t.fail(set.fault);
  const web = await startBackend(t);
  const listener = httpListener('http/80');
  const provider = {
    id: 'a/b/c',
    issuer: 'joe',
    audiences: [],
    keys: set.keys,
    from: [],
    forwardToken: false,
    claimsToHeaders: [],
  };
  const guarded = route('r', '/', {
    filters: { access: { route: { jwt: { optional: false, providers: [provider] } } } },
  });
  const proxy = await startProxy(t, {
    listeners: [listener],
    tables: [table('http/80', { exact: [virtualHost('a.test', [guarded])] })],
    backends: { web: web.port },
  });
  const port = await proxy.envoy.port('http/80');
  const ask = async (token: string) => {
    const { status, body } = await send(port, { host: 'a.test', headers: { authorization: `Bearer ${token}` } });
    return `${status} ${body}`;
  };
  for (const alg of algorithms) {
    t.is(await ask(await signed({}, { alg })), '200 ok', alg);
    t.regex(await ask(await signed({ exp: now() - 3600 }, { alg })), /^401 .*expired/, `${alg}, expired`);
    t.regex(await ask(await signed({ nbf: now() + 3600 }, { alg })), /^401 .*not yet valid/i, `${alg}, not yet`);
    const [head, body, signature = ''] = (await signed({}, { alg })).split('.');
    const other = encoded({ iss: 'joe', exp: now() + 3600, sub: 'root' });
    t.regex(await ask(`${head}.${other}.${signature}`), /^401 /, `${alg}, other claims`);
    t.regex(await ask(`${head}.${body}.`), /^401 /, `${alg}, no signature`);
    t.regex(await ask(await signed({}, { alg, kid: 'unknown' })), /^401 /, `${alg}, unknown key`);
    const { jwk } = pairOf(alg);
    const pem = createPublicKey({ key: jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    for (const secret of [
      pem,
      JSON.stringify(jwk),
      jwk.n ?? jwk.x ?? '',
      Buffer.from(jwk.n ?? jwk.x ?? '', 'base64url'),
    ])
      t.regex(await ask(byPublicKey(secret, alg)), /^401 /, `${alg}, HS256 by its public key`);
  }
  t.regex(
    await ask(await signed({}, { alg: 'RS256', by: 'RS256', kid: 'RS512' })),
    /^401 /,
    'the key of another algorithm',
  );
  t.regex(await ask(await signed({ iss: 'jane' }, { alg: 'ES256' })), /^401 .*issuer/i);
  for (const alg of ['none', 'None', 'NONE', 'nOnE'])
    t.regex(await ask(`${encoded({ alg })}.${encoded({ iss: 'joe', exp: now() + 3600 })}.`), /^401 /, alg);
  for (const token of ['', 'a', '..', 'a.b.c', 'a.b.c.d', `${encoded({ alg: 'RS256' })}.${encoded({})}.AAAA`])
    t.regex(await ask(token), /^401 /, JSON.stringify(token));
  for (const { text } of signedTokens) t.regex(await ask(text), /^401 .*expired/);
});

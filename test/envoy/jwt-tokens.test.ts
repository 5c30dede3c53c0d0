import { createHmac, createPublicKey } from 'node:crypto';
import test from 'ava';
import { CompactSign, type CryptoKey, compactVerify, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { readFetchedJwks } from '../../src/key-sets/index.ts';
import { send, startBackend } from '../support/http.ts';
import { httpListener, route, table, virtualHost } from '../support/ir.ts';
import { startProxy } from '../support/ir-proxy.ts';

/** Tokens of every algorithm, the examples of RFC 7515, and forgeries, against a real Envoy with a set as it is fetched. */

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

/** RFC 7515, A.2 and A.3. Both tokens ended in 2011. */
const payload = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
const rfcKeys: readonly JWK[] = [
  {
    kty: 'RSA',
    n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
    e: 'AQAB',
  },
  {
    kty: 'EC',
    crv: 'P-256',
    x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
    y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  },
];
const rfcTokens = [
  `eyJhbGciOiJSUzI1NiJ9.${payload}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw`,
  `eyJhbGciOiJFUzI1NiJ9.${payload}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
] as const;

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
  const set = readFetchedJwks(JSON.stringify({ keys: [...[...pairs.values()].map(({ jwk }) => jwk), ...rfcKeys] }));
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
  for (const [index, token] of rfcTokens.entries()) {
    const key = await importJWK(rfcKeys[index] as JWK, index === 0 ? 'RS256' : 'ES256');
    await t.notThrowsAsync(compactVerify(token, key), 'the example is as in the RFC');
    t.regex(await ask(token), /^401 .*expired/, 'its signature is good, and its time is over');
    t.regex(await ask(`${token.slice(0, -8)}AAAAAAAA`), /^401 .*(verification fails|expired)/i);
  }
});

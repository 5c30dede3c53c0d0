import { generateKeyPairSync } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { readJwks } from '../../../src/key-sets/index.ts';

const good = { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid: 'good' };
const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

function leftOut(t: ExecutionContext, odd: string): void {
  t.deepEqual(readJwks(`{"keys":[${odd},${JSON.stringify(good)}]}`), { keys: JSON.stringify({ keys: [asRead] }) });
  t.deepEqual(readJwks(`{"keys":[${odd}]}`), {
    fault: 'has no public key of type RSA, EC or OKP that can be used',
  });
}
const { kty, crv, x, kid } = good;
const asRead = { kty, crv, x, kid };

test('a key whose number is no text is left out', leftOut, '{"kty":"RSA","e":"AQAB","n":{"toString":1}}');
test('a key whose name is nested deep is left out', leftOut, `{"kty":"RSA","e":"AQAB","n":"AQAB","kid":${deep}}`);
test('a key whose curve is nested deep is left out', leftOut, `{"kty":"OKP","x":"AA","crv":${deep}}`);

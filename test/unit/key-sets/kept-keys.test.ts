import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { keptConfigMap, readKept } from '../../../src/key-sets/index.ts';

const place = { namespace: 'gatewright-system', name: 'gatewright-keys-1', source: 'https://id.example.com/keys' };
const { kty, n, e } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const keys = JSON.stringify({ keys: [{ kty, n, e }] });
const fetchedAt = '2026-01-02T03:04:05Z';

test('what is kept is read as it was', (t) => {
  t.deepEqual(readKept(keptConfigMap(place, { keys, fetchedAt }, {})), { keys, fetchedAt });
});

test('kept keys that proxies would reject count as not there, and cost none beside them', (t) => {
  t.deepEqual(readKept(keptConfigMap(place, { keys: '_', fetchedAt }, {})), { fetchedAt });
  const damaged = { kty, n: `${n?.slice(0, 50)}AAA${n?.slice(50)}`, e };
  const both = JSON.stringify({ keys: [damaged, { kty, n, e }] });
  t.is(readKept(keptConfigMap(place, { keys: both, fetchedAt }, {}))?.keys, keys);
});

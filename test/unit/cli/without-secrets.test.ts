import test from 'ava';
import { withoutSecrets, withoutSecretText } from '../../../src/cli/collect/without-secrets.ts';

const hidden = '[redacted]';

test('the values of headers that grant access are taken out, in every spelling of routes and of Envoy', (t) => {
  t.deepEqual(
    withoutSecrets({
      set: [
        { name: 'Authorization', value: 'abc' },
        { name: 'x-turn', value: 'abc' },
      ],
    }),
    {
      set: [
        { name: 'Authorization', value: hidden },
        { name: 'x-turn', value: 'abc' },
      ],
    },
  );
  t.deepEqual(withoutSecrets({ header: { key: 'x-api-key', value: 'abc' } }), {
    header: { key: 'x-api-key', value: hidden },
  });
  t.deepEqual(withoutSecrets({ name: 'cookie', match: { kind: 'exact', value: 'abc' } }), {
    name: 'cookie',
    match: { kind: 'exact', value: hidden },
  });
  t.deepEqual(withoutSecrets({ name: 'x-auth-token', string_match: { exact: 'abc' } }), {
    name: 'x-auth-token',
    string_match: { exact: hidden },
  });
});

test('annotations and fields with such a name are taken out, references to Secrets stay', (t) => {
  t.deepEqual(
    withoutSecrets({
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'example.com/password': 'abc' },
    }),
    { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': hidden, 'example.com/password': hidden } },
  );
  const kept = {
    secrets: [{ name: 'cert', key: 'default/cert' }],
    secretCount: 3,
    certificateRefs: [{ kind: 'Secret', name: 'cert' }],
  };
  t.deepEqual(withoutSecrets(kept), kept);
});

test('keys, tokens and passwords in the middle of a text are taken out', (t) => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----';
  t.is(withoutSecretText(`before ${key} after`), `before ${hidden} after`);
  t.is(withoutSecretText('sent Authorization: Bearer abcdef.ghi-jkl'), `sent Authorization: Bearer ${hidden}`);
  t.is(withoutSecretText('at https://user:pass@example.com/x'), `at https://${hidden}@example.com/x`);
  t.is(withoutSecretText('eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhYmMifQ.c2ln'), hidden);
  t.is(withoutSecretText('an ordinary line about default/edge:8080'), 'an ordinary line about default/edge:8080');
});

import test from 'ava';
import { openWarning } from '../../../src/admin/index.ts';
import { SecretText } from '../../../src/config/index.ts';

const open = { protect: [] };

test('an API without a token that others can reach is warned of', (t) => {
  t.regex(openWarning(open, { port: 18081 }) ?? '', /every address of this machine without a token/);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'gateway.example.com'])
    t.regex(openWarning(open, { host, port: 18081 }) ?? '', /without a token/, host);
});

test('one that only this machine reaches, or that asks for a token, is not', (t) => {
  for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost'])
    t.is(openWarning(open, { host, port: 18081 }), undefined, host);
  t.is(openWarning({ ...open, bearerToken: new SecretText('s3cret') }, { port: 18081 }), undefined);
  t.is(openWarning({ ...open, bearerTokenFile: '/token' }, { port: 18081 }), undefined);
});

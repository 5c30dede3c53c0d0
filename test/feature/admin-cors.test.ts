import test, { type ExecutionContext } from 'ava';
import { SecretText } from '../../src/config/index.ts';
import { startAdmin } from '../support/admin.ts';

const origin = 'https://console.example.com';
const token = new SecretText('s3cret');

async function started(t: ExecutionContext, allowedOrigins: readonly string[] = [origin]) {
  const admin = await startAdmin({ bearerToken: token, allowedOrigins, protect: ['layout2'] });
  t.teardown(() => admin.close());
  return admin;
}

const preflight = (from: string) => ({
  method: 'OPTIONS',
  headers: { Origin: from, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'authorization' },
});

test('a page of an allowed origin is answered before it shows a token', async (t) => {
  const { layout1, layout2 } = await started(t);
  for (const answered of [
    await layout1('/v1/resources', preflight(origin)),
    await layout2('/api/v1/routes', preflight(origin)),
  ]) {
    t.is(answered.status, 204);
    t.is(answered.headers.get('access-control-allow-origin'), origin);
    t.regex(answered.headers.get('access-control-allow-methods') ?? '', /PUT/);
    t.regex(answered.headers.get('access-control-allow-headers') ?? '', /Authorization/);
    t.regex(answered.headers.get('vary') ?? '', /Origin/);
    t.is(answered.headers.get('access-control-allow-credentials'), null);
  }
});

test('it may read answers, and why it was refused', async (t) => {
  const { layout1 } = await started(t);
  const read = await layout1('/v1/routes', { headers: { Origin: origin, Authorization: 'Bearer s3cret' } });
  t.is(read.status, 200);
  t.is(read.headers.get('access-control-allow-origin'), origin);
  t.regex(read.headers.get('access-control-expose-headers') ?? '', /X-Total-Count/);
  const refused = await layout1('/v1/routes', { headers: { Origin: origin } });
  t.is(refused.status, 401);
  t.is(refused.headers.get('access-control-allow-origin'), origin);
});

test('a page of any other origin is told nothing', async (t) => {
  const { layout1 } = await started(t);
  for (const other of ['https://evil.example.com', 'http://console.example.com', `${origin}.evil.example`, 'null']) {
    t.is((await layout1('/v1/resources', preflight(other))).headers.get('access-control-allow-origin'), null, other);
    const read = await layout1('/v1/routes', { headers: { Origin: other, Authorization: 'Bearer s3cret' } });
    t.is(read.headers.get('access-control-allow-origin'), null, other);
  }
  const closed = await started(t, []);
  t.is((await closed.layout1('/v1/resources', preflight(origin))).headers.get('access-control-allow-origin'), null);
});

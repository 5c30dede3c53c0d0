import test, { type ExecutionContext } from 'ava';
import type * as ir from '../../src/ir/index.ts';
import { basic, exactHost, lateHost, places, sensitive, sha, world } from '../support/access-parts.ts';
import { htpasswdLines, htpasswdOf } from '../support/htpasswd.ts';
import { startPasswordAgent } from '../support/password-agent.ts';

/** Passwords that Envoy cannot check: bcrypt and apr1, with a real Envoy and the agent's part of it. */

const users: ir.BasicAuth = {
  htpasswd: sensitive(htpasswdOf()),
  hashed: true,
  realm: 'staff',
  userHeader: 'x-user',
};

async function passwordWorld(t: ExecutionContext) {
  const agent = await startPasswordAgent(t);
  return { ...(await world(t, {}, undefined, [agent.cluster])), agent };
}

test('every format that htpasswd writes lets its user in, at every level', async (t) => {
  const { ask, serve, seen } = await passwordWorld(t);
  for (const [place, demands] of places) {
    await serve(demands({ basicAuth: users }));
    for (const host of [exactHost, exactHost.toUpperCase(), lateHost]) {
      for (const [user, { password }] of Object.entries(htpasswdLines)) {
        const what = `${place}, ${host}: ${user}`;
        t.is(await ask(host, { headers: { ...basic(user, password), 'x-user': 'root' } }), 200, what);
        t.is(Buffer.from(seen()['x-user'] as string, 'latin1').toString(), user, what);
        t.is(await ask(host, { headers: basic(user, `${password}!`) }), 401, what);
      }
      t.is(await ask(host), 401, place);
      t.is(await ask(host, { headers: basic('stranger', 'secret') }), 401, place);
    }
  }
});

const tries: readonly Record<string, string>[] = [
  {},
  { authorization: 'Bearer token' },
  { authorization: 'Basic' },
  { authorization: 'Basic !' },
  { authorization: 'basic ZXZlOm90aGVy' },
  { authorization: 'Basic ZXZlOm90aGVy,Basic ZXZlOm90aGVy' },
  { authorization: 'Basic  ZXZlOm90aGVy' },
  { authorization: `Basic ${Buffer.from('eve').toString('base64')}` },
  { authorization: `Basic ${Buffer.from(':other').toString('base64')}` },
  { authorization: `Basic ${Buffer.from('eve:other').toString('base64').replace(/=+$/, '')}` },
  basic('eve', 'other'),
  basic('eve', 'wrong'),
  basic('stranger', 'other'),
  basic('', ''),
];

test('what is wrong is answered like Envoy answers it for {SHA}, word for word', async (t) => {
  const { answer, serve } = await passwordWorld(t);
  const plain = { htpasswd: sensitive(`eve:${sha('other')}\n`) };
  const hashed = { htpasswd: sensitive(htpasswdOf(['eve', 'bob'])), hashed: true } as const;
  const answers = async (basicAuth: ir.BasicAuth) => {
    await serve({ table: { basicAuth } });
    const all = [];
    for (const headers of tries) {
      const { status, headers: given, body } = await answer(exactHost, { path: `/${'x'.repeat(300)}?y=1`, headers });
      const { 'www-authenticate': challenge, 'content-type': type, 'content-length': length } = given;
      all.push({ headers, status, challenge, type, length, body });
    }
    return all;
  };
  t.deepEqual(await answers(hashed), await answers(plain));
  t.deepEqual(await answers({ ...hashed, realm: 'staff' }), await answers({ ...plain, realm: 'staff' }));
});

test('one of several credentials: a password of any format, or a key', async (t) => {
  const { ask, serve, seen } = await passwordWorld(t);
  const apiKeys: ir.ApiKeys = {
    keys: sensitive(JSON.stringify([['bob', 'k1']])),
    from: [{ kind: 'header', name: 'x-api-key' }],
    identityHeader: 'x-client',
    forwardKey: false,
  };
  for (const [place, demands] of places) {
    await serve(demands({ any: { basicAuth: users, apiKeys } }));
    for (const host of [exactHost, lateHost]) {
      const forged = { 'x-user': 'root', 'x-client': 'root' };
      t.is(await ask(host, { headers: { ...forged, ...basic('ann', 'secret') } }), 200, place);
      t.deepEqual([seen()['x-user'], seen()['x-client']], ['ann', undefined]);
      t.is(await ask(host, { headers: { ...forged, 'x-api-key': 'k1' } }), 200, place);
      t.deepEqual([seen()['x-user'], seen()['x-client']], [undefined, 'bob']);
      t.is(await ask(host, { headers: { ...basic('ann', 'wrong'), 'x-api-key': 'k1' } }), 401, place);
      t.is(await ask(host), 401, place);
    }
  }
});

test('without an agent, passwords are answered 503, and requests without one 401; {SHA} alone needs no agent', async (t) => {
  const { ask, serve } = await world(t);
  for (const [place, demands] of places) {
    await serve(demands({ basicAuth: users }));
    t.is(await ask(exactHost, { headers: basic('ann', 'secret') }), 503, place);
    t.is(await ask(exactHost, { headers: basic('eve', 'other') }), 503, place);
    t.is(await ask(exactHost), 401, place);
  }
  await serve({ table: { basicAuth: { htpasswd: sensitive(htpasswdOf(['eve'])) } } });
  t.is(await ask(exactHost, { headers: basic('eve', 'other') }), 200);
});

test('a list of 1,000 users reaches the agent whole', async (t) => {
  const { ask, serve, agent } = await passwordWorld(t);
  const long = 'ü'.repeat(200);
  const others = Array.from({ length: 999 }, (_, index) => `${long}${index}:${htpasswdLines.ann.hash}\n`);
  await serve({
    table: { basicAuth: { ...users, htpasswd: sensitive(`${others.join('')}${htpasswdOf(['carol'])}`) } },
  });
  t.is(await ask(exactHost, { headers: basic('carol', 'secret') }), 200);
  t.is(await ask(exactHost, { headers: basic(`${long}998`, 'secret') }), 200);
  t.is(await ask(exactHost, { headers: basic(`${long}999`, 'secret') }), 401);
  t.deepEqual(agent.server.counts.outcomes, { right: 2, wrong: 1, busy: 0, tooOften: 0 });
});

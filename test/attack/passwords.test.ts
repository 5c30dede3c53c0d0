import test, { type ExecutionContext } from 'ava';
import { htpasswdLines, htpasswdOf, slowHash } from '../support/htpasswd.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

// Clients that guess passwords, or make a proxy work them out, at the whole program. One after the other: each wants the machine for itself.

const gatewayApi = 'gateway.networking.k8s.io';
const policy = (route: string, secret: string) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name: route },
  spec: {
    targetRefs: [{ group: gatewayApi, kind: 'HTTPRoute', name: route }],
    basicAuth: { secretRef: { name: secret }, userHeader: 'x-user' },
  },
});
const users = (name: string, htpasswd: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData: { '.htpasswd': htpasswd },
});
const hops = {
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'ListenerPolicy',
  metadata: { name: 'hops' },
  spec: { targetRefs: [{ group: gatewayApi, kind: 'Gateway', name: 'edge' }], clientIP: { trustedHops: 1 } },
};

type Verdict = 'right' | 'wrong' | 'busy' | 'too_often';

interface World {
  readonly gateway: Standalone;
  /** The status that a client at this address gets for user and password, bytes as they are. */
  readonly ask: (user: string, password: string | Buffer, more?: { from?: string; host?: string }) => Promise<number>;
  readonly seen: () => unknown;
  /** What the agent's metrics say of its checks. */
  readonly checks: () => Promise<Record<Verdict | 'remembered' | 'seconds', number>>;
}

/** `shop.test` wants passwords of `htpasswd`, `plain.test` those that Envoy checks itself, `open.test` none. */
async function world(t: ExecutionContext, htpasswd: string): Promise<World> {
  const web = await startBackend(t);
  const rules = [{ backendRefs: [{ name: 'web', port: 80 }] }];
  const gateway = await startStandalone({
    'all.yaml': [
      ...serviceObjects('web', [web.port]),
      ...[users('hashed', htpasswd), users('plain', htpasswdOf(['eve'])), hops],
      ...['shop', 'plain', 'open'].map((name) => routeObject(name, `${name}.test`, rules)),
      ...[policy('shop', 'hashed'), policy('plain', 'plain')],
    ],
  });
  t.teardown(() => gateway.stop());
  const ask: World['ask'] = async (user, password, { from = '192.0.2.1', host = 'shop.test' } = {}) => {
    const credential = Buffer.concat([Buffer.from(`${user}:`), Buffer.from(password)]).toString('base64');
    const headers = { authorization: `Basic ${credential}`, 'x-forwarded-for': from };
    return (await send(gateway.port, { host, headers })).status;
  };
  await until('the policies to hold', async () => {
    const { port } = gateway;
    const [shop, open] = [await send(port, { host: 'shop.test' }), await send(port, { host: 'open.test' })];
    return isCurrent(gateway) && shop.status === 401 && open.status === 200;
  });
  return { gateway, ask, seen: () => web.seen.at(-1)?.['x-user'], checks: () => checksOf(gateway) };
}

async function checksOf({ agentPort }: Standalone): ReturnType<World['checks']> {
  const answer = await send(agentPort, { host: `127.0.0.1:${agentPort}`, path: '/api/v1/metrics' });
  const metric = (name: string): number => {
    const line = answer.body.split('\n').find((each) => each.startsWith(`gatewright_gateway_dataplane_${name} `));
    return Number(line?.split(' ').at(-1));
  };
  const verdict = (name: Verdict) => metric(`password_checks_total{verdict="${name}"}`);
  return {
    right: verdict('right'),
    wrong: verdict('wrong'),
    busy: verdict('busy'),
    too_often: verdict('too_often'),
    remembered: metric('password_checks_remembered_total'),
    seconds: metric('password_check_seconds_total'),
  };
}

test.serial('hundreds of guesses at once are worked out for twenty, and all others are served meanwhile', async (t) => {
  const { gateway, ask, checks } = await world(t, htpasswdOf());
  const begun = Date.now();
  const statusOfReadyz = async () =>
    (await send(gateway.agentPort, { host: `127.0.0.1:${gateway.agentPort}`, path: '/readyz' })).status;
  const guesses = Array.from({ length: 300 }, (_, index) => ask('colon', `guess ${index}`, { from: '203.0.113.66' }));
  const meanwhile = [
    ask('ann', 'secret'),
    ask('carol', 'secret', { from: '192.0.2.2' }),
    ask('eve', 'other', { host: 'plain.test', from: '203.0.113.66' }),
    ask('eve', 'other', { from: '203.0.113.66' }),
    send(gateway.port, { host: 'open.test' }).then(({ status }) => status),
    // An Envoy that is too late to say how it is, on a busy machine, makes a 503 of it for a moment.
    untilFits('readiness', statusOfReadyz, (status) => status !== 503),
  ];
  t.deepEqual(await Promise.all(meanwhile), [200, 200, 200, 200, 200, 200]);
  const statuses = await Promise.all(guesses);
  const count = (status: number) => statuses.filter((each) => each === status).length;
  // One thread is at work on another guess when the twentieth was wrong, and one more may be tried every three seconds.
  const most = 22 + Math.ceil((Date.now() - begun) / 3000);
  t.true(count(401) >= 20 && count(401) <= most, JSON.stringify([count(401), count(429), count(503), most]));
  t.is(count(200), 0);
  t.is(count(401) + count(429) + count(503), guesses.length);
  t.is((await checks()).wrong, count(401));
  t.is(await ask('colon', 'a:b:c'), 200, 'from elsewhere');
});

test.serial(
  'a client that uses up its own budget keeps none of its network’s users out who came in before',
  async (t) => {
    const { ask } = await world(t, htpasswdOf());
    t.is(await ask('ann', 'secret'), 200);
    const guesses = await Promise.all(Array.from({ length: 100 }, (_, index) => ask('carol', `guess ${index}`)));
    t.deepEqual([...new Set(guesses)].sort(), [401, 429]);
    t.is(await ask('ann', 'secret'), 200);
    t.is(await ask('carol', 'secret', { from: '192.0.2.9' }), 200);
  },
);

test.serial('for a user who is not there as much is worked out as for one who is', async (t) => {
  const { ask, checks } = await world(t, htpasswdOf(['bob']));
  for (const user of ['bob', 'stranger', 'Bob', '']) {
    const before = await checks();
    t.is(await ask(user, `wrong for ${user}`), 401, user);
    const { seconds, wrong, remembered } = await checks();
    t.true(seconds > before.seconds, user);
    t.deepEqual([wrong, remembered], [before.wrong + 1, before.remembered], user);
  }
  t.is(await ask('stranger', 'correct horse'), 401, 'the password of another one');
});

test.serial('NUL bytes, long passwords, bytes that are no text: nothing opens, nothing breaks', async (t) => {
  const { ask, seen } = await world(t, htpasswdOf());
  const bytes = (text: string) => Buffer.from(text, 'latin1');
  for (const password of [
    'secret\0',
    'secret\0secret',
    '\0secret',
    `secret${'x'.repeat(5000)}`,
    '\xff\xfe',
    'p\xe4ssw\xf6rd',
  ])
    for (const user of ['ann', 'carol', 'jörg', 'stranger'])
      t.is(await ask(user, bytes(password), { from: `192.0.2.${password.length % 200}` }), 401, `${user} ${password}`);
  for (const [user, { password }] of Object.entries(htpasswdLines)) {
    t.is(await ask(user, password), 200, user);
    t.is(Buffer.from(String(seen()), 'latin1').toString(), user);
  }
});

test.serial('a Secret full of users of the highest cost delays only requests for one of them', async (t) => {
  const lines = Array.from({ length: 99 }, (_, index) => `user${index}:${slowHash}\n`).join('');
  const { ask, gateway } = await world(t, lines);
  const slow = [ask('user7', 'x'), ask('stranger', 'wrong', { from: '192.0.2.3' })];
  t.is(await ask('eve', 'other', { host: 'plain.test' }), 200);
  t.is((await send(gateway.port, { host: 'open.test' })).status, 200);
  await Promise.all(slow);
  // A machine that is busy takes longer than Envoy waits; what was found out meanwhile is known then.
  await until('the user to come in', async () => (await ask('user7', 'x')) === 200);
  await until('the stranger to be known', async () => (await ask('stranger', 'wrong', { from: '192.0.2.3' })) === 401);
});

test.serial('no header of a client reaches what the agent is asked', async (t) => {
  const { gateway, ask } = await world(t, htpasswdOf(['ann']));
  const mine = Buffer.from(`root:${htpasswdLines.ann.hash}\n`).toString('base64');
  const forged = {
    authorization: `Basic ${Buffer.from('root:secret').toString('base64')}`,
    'x-gw-users-id': 'mine',
    'x-gw-users-1': mine,
    'x-gw-users-2': mine,
    'x-gw-user-header': 'x-admin',
    'x-gw-client-address': '192.0.2.77',
    'x-forwarded-for': '192.0.2.1',
  };
  t.is((await send(gateway.port, { host: 'shop.test', headers: forged })).status, 401);
  t.is(await ask('ann', 'secret'), 200);
});

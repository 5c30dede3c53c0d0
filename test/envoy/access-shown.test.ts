import test from 'ava';
import { chat } from '../support/chat.ts';
import type * as schemas from '../support/layout1-schemas.ts';
import { routeObject, startStandalone, untilRead } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

type Failures = ReturnType<typeof schemas.failures.parse>;

const policy = (name: string, kind: string, target: string, spec: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: target }], ...spec },
});

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'keys', labels: { 'gatewright.dev/credentials': 'true' } },
  stringData: { ann: 'sk-planted' },
};

test('the running program says which part denied a request, counts hosts that are closed, and logs when access becomes weaker', async (t) => {
  t.timeout(600_000);
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const route = (name: string) => routeObject(name, `${name}.test`, [{ backendRefs: [{ name: 'web', port: 80 }] }]);
  gateway.write('web.yaml', ...(await gateway.backend('web')), route('shop'), route('open'), secret);
  const toWeb = { backendRefs: [{ name: 'web', port: 80 }] };
  gateway.write(
    'half.yaml',
    routeObject('half', 'half.test', [
      { name: 'free', matches: [{ path: { value: '/free' } }], ...toWeb },
      { name: 'kept', matches: [{ path: { value: '/kept' } }], ...toWeb },
      toWeb,
    ]),
    {
      apiVersion: 'gatewright.dev/v1alpha1',
      kind: 'AccessPolicy',
      metadata: { name: 'half' },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'half', sectionName: 'kept' }],
        clientIPs: { deny: ['10.0.0.0/8'] },
      },
    },
  );
  const keys = policy('keys', 'HTTPRoute', 'shop', {
    apiKeys: { secretRefs: [{ name: 'keys' }], from: [{ header: 'x-key' }] },
    clientIPs: { deny: ['10.0.0.0/8'] },
  });
  gateway.write('policies.yaml', keys);
  const ask = async () => (await gateway.get('shop.test')).status;
  await untilRead(gateway, ['AccessPolicy', 'default/half'], ['AccessPolicy', 'default/keys']);
  await until('the route to be guarded', async () => (await ask()) === 401);
  t.is((await gateway.get('open.test')).status, 200);

  const json = async <T>(path: string): Promise<T> =>
    (await gateway.json(gateway.control.ports.layout1, path)).body as T;
  const { items } = await untilFits(
    'the failure to be known',
    () => json<Failures>('/v1/failures?status=401'),
    (answer) => answer.items.length > 0,
  );
  t.like(items[0], {
    status: 401,
    details: 'missing_api_key',
    deniedBy: [{ part: 'apiKeys', level: 'route', policy: { namespace: 'default', name: 'keys' } }],
    explanation: { code: 'missing_api_key' },
  });

  const { layout1 } = gateway.control.ports;
  const said = async (prompt: string) => (await chat(layout1, { prompt })).text;
  for (const prompt of ['who may call HTTPRoute default/shop?', 'wer darf die HTTPRoute default/shop aufrufen?'])
    t.regex(await said(prompt), /rule 0: apiKeys \(route, default\/keys\) inForce/, prompt);
  t.regex(
    await said('who may call HTTPRoute default/half?'),
    /rule kept: clientIPs \(rule, default\/half\) inForce\n- rules free, 2: every client may call/,
  );
  t.regex(await said('wer darf die HTTPRoute default/half aufrufen?'), /Regeln free, 2: Jeder darf sie aufrufen/);
  t.notRegex(await said('who may call HTTPRoute default/shop?'), /every client/);
  for (const prompt of ['which routes need no login?', 'welche Routen brauchen keine Anmeldung?'])
    t.regex(await said(prompt), /HTTPRoute default\/open \(open\.test\)/, prompt);
  for (const prompt of [
    `why does GET http://shop.test:${gateway.port}/ answer 401?`,
    `warum bekommt http://shop.test:${gateway.port}/ 401?`,
  ])
    t.regex(await said(prompt), /401: apiKeys of AccessPolicy default\/keys: there is no key in header x-key/, prompt);

  const diff = await fetch(`http://127.0.0.1:${gateway.control.ports.layout1}/v1/diff`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [policy('keys', 'HTTPRoute', 'shop', { csrf: {} })],
    }),
  });
  const text = await diff.text();
  t.deepEqual(
    (JSON.parse(text) as { weaker: readonly { message: string }[] }).weaker.map(({ message }) => message),
    ['default/shop no longer demands an allowed address', 'default/shop no longer demands an API key'],
    text,
  );
  t.false(text.includes('sk-planted'));

  const weaker = () => gateway.log.filter(({ msg }) => String(msg).includes('no longer demands'));
  gateway.write('policies.yaml', policy('keys', 'HTTPRoute', 'shop', { clientIPs: { deny: ['10.0.0.0/8'] } }));
  await until('the route to be open', async () => (await ask()) === 200);
  t.deepEqual(
    weaker().map(({ msg, level }) => [msg, level]),
    [['default/shop no longer demands an API key', 'info']],
  );
  const events = await json<readonly object[]>('/v1/events/recent?types=access');
  t.like(events[0], { type: 'access', kind: 'HTTPRoute', name: 'shop', part: 'apiKeys' });

  gateway.write(
    'policies.yaml',
    policy('keys', 'HTTPRoute', 'shop', {
      apiKeys: { secretRefs: [{ name: 'gone' }], from: [{ header: 'x-key' }] },
    }),
  );
  await until('the route to be closed', async () => (await ask()) === 500);
  const { items: problems } = await json<{ items: readonly { message: string; object: { kind: string } }[] }>(
    '/v1/problems',
  );
  const problem = problems.find(({ object }) => object.kind === 'AccessPolicy');
  t.regex(problem?.message ?? '', /SecretNotFound: Secret default\/gone.*; 1 host answers 500 because of it$/);
  t.false(JSON.stringify(gateway.log).includes('sk-planted'));

  // The backend was not asked, and serves the other route.
  const failing = await untilFits(
    'the failed requests to be a problem',
    () => json<{ items: readonly { code: string; message: string; object: { name: string } }[] }>('/v1/problems'),
    ({ items: found }) => found.some(({ code }) => code === 'traffic_failing'),
  );
  t.like(
    failing.items.find(({ code }) => code === 'traffic_failing'),
    { object: { kind: 'HTTPRoute', name: 'shop' } },
  );
  const message = failing.items.find(({ code }) => code === 'traffic_failing')?.message ?? '';
  t.regex(message, /requests failed: a policy answers them with an error, and no backend is asked \(FI\)$/);
  const tested = async (host: string) => {
    const body = JSON.stringify({ host, port: gateway.port });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${layout1}/v1/route-test`, { method: 'POST', headers, body });
    return (await answer.json()) as { backends: readonly { failing: object | null }[]; hints: readonly string[] };
  };
  t.deepEqual(
    (await tested('open.test')).backends.map(({ failing: found }) => found),
    [null],
  );
  t.deepEqual((await tested('open.test')).hints, []);
  t.regex((await tested('shop.test')).hints.join('\n'), /a policy answers them with an error/);
});

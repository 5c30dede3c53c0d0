import test from 'ava';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { send, startBackend } from '../support/http.ts';
import { gateway, httpRoute, listenerSet, ownObject } from '../support/objects.ts';
import type { AnyObject } from '../support/world.ts';

const group = 'gateway.networking.k8s.io';
const policy = (name: string, second: number, clientIPs: object) =>
  ownObject(
    'AccessPolicy',
    name,
    { targetRefs: [{ group, kind: 'ListenerSet', name }], clientIPs },
    { created: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString() },
  );

test('with more policies than a table has room for, proxies demand those of the oldest, and answer 500 for the others', async (t) => {
  const web = await startBackend(t);
  const names = Array.from({ length: 257 }, (_, index) => `s${index}`);
  const route = (name: string, overrides: readonly AnyObject[]) => [
    httpRoute(name, {
      parentRefs: [{ group, kind: 'ListenerSet', name }] as never,
      hostnames: [`exact.${name}.test`, `*.${name}.test`],
      rules: refs({ web: 1 }) as never,
    }),
    ...overrides,
  ];
  const override = ownObject('AccessPolicy', 'override', {
    targetRefs: [{ group, kind: 'HTTPRoute', name: 's256' }],
    overrides: ['clientIPs'],
  });
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [{ name: 'http' }] as never, { allowedListeners: { namespaces: { from: 'Same' } } }),
    ...backend('web', web.port),
    ...names.map((name) => listenerSet(name, [{ name: 'own', hostname: `*.${name}.test` }] as never)),
    ...names.map((name, index) => policy(name, index, { allow: [index % 2 === 0 ? '127.0.0.0/8' : '10.0.0.0/8'] })),
    ...['s0', 's1', 's255', 's256'].flatMap((name) => route(name, name === 's256' ? [override] : [])),
  );
  const port = await envoy.port('http/80');
  const statuses = async (name: string) => {
    const all = [`exact.${name}.test`, `EXACT.${name}.test`, `late.${name}.test`, `late.${name}.test:80`].map(
      async (host) => (await send(port, { host })).status,
    );
    return [...new Set(await Promise.all(all))];
  };
  t.deepEqual(await statuses('s0'), [200]);
  t.deepEqual(await statuses('s1'), [403]);
  t.deepEqual(await statuses('s255'), [403]);
  t.deepEqual(await statuses('s256'), [500], 'whatever the route switches off');
  t.deepEqual(await statuses('s2'), [404], 'no route');
  t.deepEqual(await statuses('s3'), [403], 'no route, and the address may not');

  await apply(policy('s256', -1, { allow: ['127.0.0.0/8'] }));
  t.deepEqual(await statuses('s256'), [200], 'now the oldest');
  t.deepEqual(await statuses('s255'), [500]);
  t.deepEqual(await statuses('s0'), [200]);
});

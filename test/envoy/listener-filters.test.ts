import test from 'ava';
import { startGrpcAuth } from '../support/grpc-auth.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { crowdObjects, gatewayObjects, routeObject, startStandalone, untilCurrent } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const prefix = (value: string) => ({ path: { type: 'PathPrefix', value } });
const to = (name: string) => [{ name, port: 80 }];
const role = (value: string) => [{ name: 'x-role', value }];

test('a listener asks before a route is chosen, and what is answered chooses it', async (t) => {
  const [admin, user, other] = [await startBackend(t), await startBackend(t), await startBackend(t)];
  const auth = await startGrpcAuth(t, ({ attributes }) => {
    const token = attributes?.request?.http?.headers['x-token'];
    if (!token)
      return { status: { code: 16 }, httpResponse: { case: 'deniedResponse', value: { status: { code: 401 } } } };
    const headers = [
      { header: { key: 'x-role', value: token } },
      { header: { key: 'host', value: 'other.test' } },
      ...(token === 'moved' ? [{ header: { key: ':path', value: '/moved' } }] : []),
    ];
    return { status: { code: 0 }, httpResponse: { case: 'okResponse', value: { headers } } };
  });
  const filters = {
    requests: [
      { type: 'ExternalAuth', externalAuth: { protocol: 'GRPC', grpc: {}, backendRef: { name: 'auth', port: 80 } } },
    ],
  };
  const world = await startStandalone({
    'services.yaml': Object.entries({ admin, user, other, auth }).flatMap(([name, { port: target }]) =>
      serviceObjects(name, [target]),
    ),
    'routes.yaml': [
      // A rule for one host, and those that it falls through to.
      routeObject('exact', 'a.guarded.test', [
        { matches: [{ ...prefix('/'), headers: role('admin') }], backendRefs: to('admin') },
      ]),
      routeObject('wide', '*.guarded.test', [
        { matches: [{ ...prefix('/'), headers: role('user') }], backendRefs: to('user') },
        { matches: [prefix('/moved')], backendRefs: to('other') },
      ]),
      ...crowdObjects('c.guarded.test', 'admin'),
      routeObject('other', 'other.test', [{ backendRefs: to('other') }]),
    ],
  });
  const { port, write, stop } = world;
  t.teardown(stop);
  const [gatewayClass, gateway] = gatewayObjects(port) as [object, { spec: { listeners: object[] } }];
  const [open] = gateway.spec.listeners;
  const guarded = { name: 'guarded', port, protocol: 'HTTP', hostname: '*.guarded.test', filters };
  write('gateway.yaml', gatewayClass, { ...gateway, spec: { ...gateway.spec, listeners: [open, guarded] } });
  const get = (host: string, token?: string, path = '/') =>
    send(port, { host, path, headers: token ? { 'x-token': token } : {} });
  await untilFits(
    'the listener to be guarded',
    () => get('a.guarded.test'),
    ({ status }) => status === 401,
  );
  // One of the proxy's threads has it; the others have it when all is acknowledged.
  await untilCurrent(world);
  const statusOf = async (host: string, token?: string, path?: string) => (await get(host, token, path)).status;
  for (const host of ['a.guarded.test', 'A.guarded.test', 'b.guarded.test', 'none.guarded.test'])
    t.is(await statusOf(host), 401, host);
  t.is(await statusOf('a.guarded.test', 'admin'), 200);
  t.is(admin.requests.length, 1);
  t.is(admin.seen.at(-1)?.host, 'a.guarded.test');
  // Its route is the wildcard's, found only after the answer; and the other way round.
  t.is(await statusOf('a.guarded.test', 'user'), 200);
  t.is(await statusOf('b.guarded.test', 'user'), 200);
  t.is(user.requests.length, 2);
  t.is(await statusOf('b.guarded.test', 'admin'), 404);
  t.is(await statusOf('a.guarded.test', 'stranger'), 404);
  t.is(await statusOf('a.guarded.test', 'moved'), 200);
  t.deepEqual(other.requests, ['/moved']);
  // Of a host that is cut up, the part that was found first, and where the path led that came with the answer.
  t.is(await statusOf('c.guarded.test', undefined, '/crowd-7'), 401);
  t.is(await statusOf('c.guarded.test', 'any', '/crowd-7'), 200);
  t.is(admin.requests.at(-1), '/crowd-7');
  t.is(await statusOf('c.guarded.test', 'moved', '/crowd-7'), 200);
  t.deepEqual(other.requests, ['/moved', '/moved']);
  t.is(await statusOf('c.guarded.test', 'user', '/none'), 200);
  t.is(user.requests.at(-1), '/none');
  const asked = auth.asked.length;
  t.is(await statusOf('other.test'), 200);
  t.is(auth.asked.length, asked);
});

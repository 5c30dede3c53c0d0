import test from 'ava';
import { htpasswdLines } from '../support/htpasswd.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import type * as schemas from '../support/layout1-schemas.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

type Failures = ReturnType<typeof schemas.failures.parse>;

const policy = (name: string, kind: string, target: string, spec: object): object => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: target }], ...spec },
});
const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}` });

test('of passwords that the agent checks and of servers, the one is named that did not let a request in', async (t) => {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  const auth = await startBackend(t, ({ headers }, response) =>
    response.writeHead(headers['x-let'] === 'in' ? 200 : 403).end(),
  );
  const forwardAuth = { backendRef: { name: 'auth', port: 80 }, http: { requestHeaders: ['x-let'] } };
  gateway.write(
    'all.yaml',
    ...(await gateway.backend('web')),
    ...serviceObjects('auth', [auth.port]),
    routeObject('shop', 'shop.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'users' },
      stringData: { '.htpasswd': `ann:${htpasswdLines.ann.hash}\n` },
    },
    policy('edge', 'Gateway', 'edge', { basicAuth: { secretRef: { name: 'users' } }, forwardAuth }),
    policy('shop', 'HTTPRoute', 'shop', { forwardAuth: { ...forwardAuth, http: { requestHeaders: ['x-second'] } } }),
  );
  const ask = async (headers: Record<string, string>, path = '/') =>
    (await send(gateway.port, { host: 'shop.test', path, headers })).status;
  await until('the policies to hold', async () => (await ask({})) === 401 && (await isCurrent(gateway)));
  /** Who denied the requests to a path. */
  const deniedBy = async (path: string, headers: Record<string, string>, status: number) => {
    t.is(await ask(headers, path), status);
    const found = async () => {
      const { body } = await gateway.json(gateway.control.ports.layout1, '/v1/failures?limit=500');
      return (body as Failures).items.filter((failure) => failure.path === path);
    };
    const [failure] = await untilFits('the failure to be known', found, (items) => items.length > 0);
    t.is(failure?.details, 'ext_authz_denied');
    return failure?.deniedBy.map(({ part, level, policy: { name } }) => `${part} ${level} ${name}`);
  };
  const right = basic(htpasswdLines.ann.password);
  t.deepEqual(await deniedBy('/password', basic('wrong'), 401), ['basicAuth gateway edge']);
  t.deepEqual(await deniedBy('/first', right, 403), ['forwardAuth gateway edge']);
  t.deepEqual(await deniedBy('/second', { ...right, 'x-let': 'in' }, 403), ['forwardAuth route shop']);
});

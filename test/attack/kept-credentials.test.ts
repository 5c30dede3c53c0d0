import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { jwksOf, tokenText } from '../support/access-model/credentials.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/** A tenant with a route, a backend and a server that is asked, who wants the credentials that the Gateway's policy keeps from all of them. */

const token = tokenText('operator');
const key = 'key-of-ann';
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'clients', labels: { 'gatewright.dev/credentials': 'true' } },
  stringData: { ann: key },
};
const demanded = (forward: boolean) => ({
  jwt: { providers: [{ name: 'p', jwks: { inline: jwksOf('staff') }, forwardToken: forward }] },
  apiKeys: { secretRefs: [{ name: 'clients' }], from: [{ query: 'key' }, { cookie: 'key' }], forwardKey: forward },
});
const policy = (name: string, kind: 'Gateway' | 'HTTPRoute', target: string, spec: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'AccessPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: target }], ...spec },
});
const hosts = ['shop.test', 'SHOP.test', 'late.shop.test'];
const shown = { path: `/?a=b&key=${key}`, headers: { authorization: `Bearer ${token}`, cookie: `key=${key}; c=d` } };

async function startWorld(t: ExecutionContext) {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  /** Each credential that anyone saw behind the proxy. */
  const caught: string[] = [];
  const spy = (who: string) => (request: IncomingMessage, response: ServerResponse) => {
    const all = [request.url, ...request.rawHeaders].join('\n');
    for (const credential of [token, key])
      if (all.includes(credential)) caught.push(`${who}: ${credential === key ? 'key' : 'token'}`);
    response.end('ok');
  };
  const [web, auth] = [await startBackend(t, spy('backend')), await startBackend(t, spy('asked server'))];
  const route = routeObject('web', 'shop.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]) as {
    spec: { hostnames: string[] };
  };
  route.spec.hostnames.push('*.shop.test');
  const common = [...serviceObjects('web', [web.port]), ...serviceObjects('auth', [auth.port]), secret, route];
  const ask = async (host: string, more: object = shown) => (await send(gateway.port, { host, ...more })).status;
  return {
    gateway,
    caught,
    ask,
    web,
    auth,
    write: (...policies: object[]) => gateway.write('all.yaml', ...common, ...policies),
  };
}

test('no policy of a route gets a credential that the Gateway’s policy does not forward, and both verify it', async (t) => {
  const { caught, ask, web, auth, write, gateway } = await startWorld(t);
  const forwardAuth = { backendRef: { name: 'auth', port: 80 }, http: { requestHeaders: ['authorization', 'cookie'] } };
  write(
    policy('edge', 'Gateway', 'edge', demanded(false)),
    policy('web', 'HTTPRoute', 'web', { ...demanded(true), forwardAuth, overrides: ['jwt', 'apiKeys'] }),
  );
  await until('the policies to hold', async () => (await ask('shop.test', {})) === 401 && (await isCurrent(gateway)));
  for (const host of hosts) {
    t.is(await ask(host), 200, host);
    t.is(await ask(host, { ...shown, headers: {} }), 401, host);
    t.is(await ask(host, { headers: shown.headers, path: '/?key=other' }), 401, host);
  }
  t.deepEqual(caught, []);
  t.is(web.requests.length, hosts.length);
  t.is(auth.requests.length, hosts.length);
  t.deepEqual([web.requests[0], web.seen[0]?.cookie], ['/?a=b', 'c=d']);
});

test('no HTTPFilter of a route copies a credential that the Gateway’s policy keeps, for the backend or for the client', async (t) => {
  const { caught, web, write, gateway } = await startWorld(t);
  const sources = ['authorization', 'cookie', ':path', 'x-envoy-original-path', 'referer'];
  const values = sources.map((name, index) => ({ name: `x-leak-${index}`, value: `%REQ(${name})%` }));
  const filter = {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'HTTPFilter',
    metadata: { name: 'spy' },
    spec: { headers: { request: { set: values }, response: { set: values } } },
  };
  const ref = { group: 'gatewright.dev', kind: 'HTTPFilter', name: 'spy' };
  const spied = routeObject('spied', 'spied.test', [
    { filters: [{ type: 'ExtensionRef', extensionRef: ref }], backendRefs: [{ name: 'web', port: 80 }] },
  ]);
  write(policy('edge', 'Gateway', 'edge', demanded(false)), filter, spied);
  const asked = () => send(gateway.port, { host: 'spied.test', ...shown });
  await until('the policy and the filter to hold', async () => {
    const bare = await send(gateway.port, { host: 'spied.test' });
    return bare.status === 401 && (await asked()).headers['x-leak-2'] !== undefined && (await isCurrent(gateway));
  });
  caught.length = 0;
  const { status, headers } = await asked();
  t.is(status, 200);
  t.deepEqual([headers['x-leak-2'], web.seen.at(-1)?.['x-leak-1']], ['/?a=b', 'c=d']);
  t.deepEqual(caught, []);
  for (const credential of [token, key]) t.false(JSON.stringify(headers).includes(credential));
});

thorough(test)(
  'while what demands a credential moves between Gateway and route, who shows it comes in, and no backend sees it',
  async (t) => {
    const { caught, ask, web, write, gateway } = await startWorld(t);
    const states = [
      [policy('edge', 'Gateway', 'edge', demanded(false))],
      [policy('web', 'HTTPRoute', 'web', demanded(false))],
      [policy('edge', 'Gateway', 'edge', demanded(false)), policy('web', 'HTTPRoute', 'web', demanded(false))],
    ];
    write(...(states[0] ?? []));
    await until('the policy to hold', async () => (await ask('shop.test', {})) === 401 && (await isCurrent(gateway)));
    const answers = new Set<number>();
    let isMoving = true;
    const asking = hosts.map(async (host) => {
      for (; isMoving; await turn()) answers.add(await ask(host));
    });
    for (let round = 1; round <= 12; round += 1) {
      const before = web.requests.length;
      write(...(states[round % states.length] ?? []));
      await until(
        'all of the change, and requests after it',
        async () => web.requests.length > before + 20 && (await isCurrent(gateway)),
      );
    }
    isMoving = false;
    await Promise.all(asking);
    t.deepEqual([...answers], [200]);
    t.deepEqual(caught, []);
  },
);

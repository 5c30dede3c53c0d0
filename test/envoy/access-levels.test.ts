import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import test, { type ExecutionContext } from 'ava';
import * as ir from '../../src/ir/index.ts';
import { send, startBackend } from '../support/http.ts';
import { forwardAuthBy, httpListener, route, snapshotOf, table, translateAll, virtualHost } from '../support/ir.ts';
import { startProxy } from '../support/ir-proxy.ts';
import { every, thorough } from '../support/repetitions.ts';

/** One table that several listeners share, with a real Envoy: what is demanded at a listener is demanded of its own hosts, however these are found. */

const key = 'http/80';
const hostnames = ['*', '*.b.test', 'deep.b.test'];
const noClient: ir.Access = { clientIPs: { allow: [], deny: [] } };
const keys = (header: string): ir.Access => ({
  apiKeys: {
    keys: new ir.Sensitive(Buffer.from(JSON.stringify([['ann', `key-of-${header}`]]))),
    from: [{ kind: 'header', name: 'x-key' }],
    identityHeader: header,
    forwardKey: false,
  },
});

const demand = (
  level: ir.TableLevel,
  own: readonly string[] | undefined,
  access: ir.Access,
  overridable: readonly ir.AccessPart[] = [],
): ir.TableAccess => ({ level, source: `infra/${level}`, overridable, ...access, ...(own && { hostnames: own }) });

/** Of a route whose requests wait: a table with one has what it demands beside its chain. */
const forwardAuth: ir.ForwardAuth = forwardAuthBy('web', { timeoutMs: 1000, statusOnError: 503 });
const waitingHost = virtualHost('waits.test', [
  route('waits', '/', { filters: { access: { route: { forwardAuth } } } }),
]);

const tableOf = (
  demands: readonly ir.TableAccess[],
  overrides: readonly ir.AccessPart[],
  waits: boolean,
): ir.RouteTable => {
  const filters = overrides.length > 0 && { filters: { access: { overrides } } };
  const routes = [route('open', '/open', filters || {}), route('all', '/')];
  const hosts = ['a.test', 'x.b.test', 'deep.b.test'].map((host) => virtualHost(host, routes, { fallThrough: true }));
  const wide = ['*', '*.b.test', '*.w.b.test', '*.other.test'].map((host) => virtualHost(host, routes));
  const access = demands.length > 0 && { access: { demands, hostnames } };
  return { ...table(key, { exact: [...hosts, ...(waits ? [waitingHost] : [])], fallback: wide }), ...access };
};

/** As clients may write a host: exact, in capitals, with a port, with a dot behind it. */
const spellings = (host: string) => [host, host.toUpperCase(), `${host}:8080`, `${host}.`];

async function world(t: ExecutionContext) {
  const web = await startBackend(t);
  const backends = { web: web.port };
  const content = (demands: readonly ir.TableAccess[], overrides: readonly ir.AccessPart[] = [], waits = false) => ({
    listeners: [httpListener(key)],
    tables: [tableOf(demands, overrides, waits)],
    backends,
  });
  const proxy = await startProxy(t, content([]));
  const port = await proxy.envoy.port(key);
  const byHttp2 = async (host: string, headers: Record<string, string>) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ':authority': host, ...headers });
    const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    stream.resume();
    await once(stream, 'close');
    session.close();
    return Number(answer[':status']);
  };
  /** What each spelling is answered, by HTTP/1.1 and by HTTP/2: all the same. */
  const ask = async (host: string, { headers = {}, path = '/' } = {}) => {
    const seen = new Set<number>();
    for (const spelt of spellings(host)) {
      seen.add((await send(port, { host: spelt, headers, path })).status);
      seen.add(await byHttp2(spelt, { ':path': path, ...headers }));
    }
    return [...seen].join();
  };
  const serve = async (...given: Parameters<typeof content>) =>
    proxy.apply(translateAll(snapshotOf(content(...given))));
  return { ask, serve, seen: () => web.seen.at(-1) ?? {} };
}

const ofWildcard = ['x.b.test', 'late.b.test', 'very.late.w.b.test'];
const ofAny = ['a.test', 'unknown.test', 'x.other.test', 'b.test'];

thorough(test)('a listener’s policy is for its own hosts, and for none of wider or narrower listeners', async (t) => {
  const { ask, serve } = await world(t);
  for (const level of ir.tableLevels) {
    await serve([demand(level, ['*.b.test'], noClient)]);
    for (const host of ofWildcard) t.is(await ask(host), '403', `${level} ${host}`);
    for (const host of [...ofAny, 'deep.b.test']) t.is(await ask(host), '200', `${level} ${host}`);
    await serve([demand(level, ['*'], noClient)]);
    for (const host of ofAny) t.is(await ask(host), '403', `${level} ${host}`);
    for (const host of [...ofWildcard, 'deep.b.test']) t.is(await ask(host), '200', `${level} ${host}`);
    await serve([demand(level, ['*', 'deep.b.test'], noClient)]);
    t.is(await ask('deep.b.test'), '403');
    t.is(await ask('x.b.test'), '200');
  }
  await serve([]);
  t.is(await ask('deep.b.test'), '200');
});

test('Gateways of one table demand different things of their own hosts, and levels add up', async (t) => {
  const { ask, serve } = await world(t);
  await serve([
    demand('gateway', ['*'], keys('x-one')),
    demand('gateway', ['*.b.test', 'deep.b.test'], keys('x-two'), ['apiKeys']),
    demand('listener', ['deep.b.test'], { clientIPs: { deny: [{ address: '10.0.0.0', prefixLength: 8 }] } }),
  ]);
  for (const host of ofAny) {
    t.is(await ask(host), '401', host);
    t.is(await ask(host, { headers: { 'x-key': 'key-of-x-one' } }), '200', host);
    t.is(await ask(host, { headers: { 'x-key': 'key-of-x-two' } }), '401', host);
  }
  for (const host of [...ofWildcard, 'deep.b.test']) {
    t.is(await ask(host), '401', host);
    t.is(await ask(host, { headers: { 'x-key': 'key-of-x-two' } }), '200', host);
  }
  const fromFar = { 'x-key': 'key-of-x-two', 'x-forwarded-for': '10.1.1.1' };
  t.is(await ask('deep.b.test', { headers: fromFar }), '200', 'without trusted hops the header says nothing');
});

for (const waits of every(2, [false, true]))
  test(`a route switches off what its own listener’s policy lists, and nothing of another’s${waits ? ', also where requests wait' : ''}`, async (t) => {
    const { ask, serve } = await world(t);
    const overrides = ['clientIPs'] as const;
    for (const level of ir.tableLevels) {
      await serve([demand(level, ['*'], noClient, overrides), demand(level, ['*.b.test'], noClient)], overrides, waits);
      t.is(await ask('a.test', { path: '/open' }), '200', level);
      t.is(await ask('a.test'), '403', level);
      t.is(await ask('x.b.test', { path: '/open' }), '403', level);
      t.is(await ask('late.b.test', { path: '/open' }), '403', level);
    }
  });

thorough(test)('identity headers of one Gateway’s policy are not taken from another Gateway’s requests', async (t) => {
  const { ask, serve, seen } = await world(t);
  await serve([demand('gateway', ['*'], keys('x-one'), ['apiKeys'])], ['apiKeys']);
  t.is(await ask('x.b.test', { headers: { 'x-one': 'own' } }), '200');
  t.is(seen()['x-one'], 'own');
  t.is(await ask('a.test', { headers: { 'x-one': 'forged' }, path: '/open' }), '200');
  t.is(seen()['x-one'], undefined);
});

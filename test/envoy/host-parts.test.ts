import test from 'ava';
import { type Route, Sensitive, type VirtualHost } from '../../src/ir/index.ts';
import { type GatewayChange, Translator } from '../../src/translate/index.ts';
import { issue } from '../support/certificates.ts';
import { gatewayKey, httpListener, route, snapshotOf, table, virtualHost } from '../support/ir.ts';
import { ask, askAllTheTime, askH2, startBackend, startProxy } from '../support/ir-proxy.ts';

const key = 'http/80';
const host = 'large.test';

const exact = (id: string, path: string): Route => {
  const made = route(id, path);
  return { ...made, match: { ...made.match, path: { kind: 'exact', value: path } } };
};
const regex = (id: string, pattern: string): Route => {
  const made = route(id, pattern);
  return { ...made, match: { ...made.match, path: { kind: 'regex', value: pattern } } };
};
const withHeader = (id: string, prefix: string, name: string): Route => {
  const made = route(id, prefix);
  return { ...made, match: { ...made.match, headers: [{ name, match: { kind: 'exact', value: '1' } }] } };
};
const own: readonly Route[] = Array.from({ length: 600 }, (_, at) => route(`own-${at}`, `/own-${at}`));
/** So many routes for paths of their own: the same ones each time, as the graph has them. */
const many = (count: number): Route[] => own.slice(0, count);

/** What the translator says when one host changes. */
function changed(before: VirtualHost | undefined, after: VirtualHost): GatewayChange {
  const snapshot = snapshotOf({ listeners: [], tables: [table(key, { exact: [after] })] });
  const change = {
    kind: 'virtualHost',
    gateway: gatewayKey,
    table: key,
    scope: 'exact',
    host: after.host,
    before,
    after,
  } as const;
  return new Translator().translate(snapshot, [change])[0] as GatewayChange;
}

/** In the order in which they are tried. */
const routes: readonly Route[] = [
  exact('exact', '/own-7/exact'),
  exact('root', '/'),
  regex('early', '/early-[a-z]+'),
  route('deep', '/own-8/deep'),
  withHeader('asked', '/own-9', 'x-asked'),
  ...many(600),
  regex('late', '/own-[0-9]+x.*'),
];

const expectations: readonly (readonly [path: string, route: string | undefined])[] = [
  ['/', 'root'],
  ['/?q=/own-3', 'root'],
  ['/own-3', 'own-3'],
  ['/own-3/', 'own-3'],
  ['/own-3?q=1', 'own-3'],
  ['/own-599/below/it?q=/', 'own-599'],
  ['/own-7/exact', 'exact'],
  ['/own-7/exactly', 'own-7'],
  ['/own-8/deep', 'deep'],
  ['/own-8/deeper', 'own-8'],
  ['/own-8/x/../deep/x', 'deep'],
  ['//own-8//deep', 'deep'],
  ['/early-one', 'early'],
  ['/own-3x', 'late'],
  ['/own-3xyz', 'late'],
  ['/none', undefined],
  ['/own-600', undefined],
  ['/own-3|x', undefined],
  ['/*', undefined],
];

const kinds: readonly (readonly [title: string, given: Partial<VirtualHost>, catchAll: readonly Route[]])[] = [
  ['that its listener owns', {}, []],
  ['that falls through to wildcards', { fallThrough: true }, []],
  ['with a route for every path', { fallThrough: true }, [route('all', '/')]],
];

for (const [title, given, catchAll] of kinds) {
  test.serial(`a host of 600 routes ${title}: each path finds its route, however Host is spelt`, async (t) => {
    const backend = await startBackend(t);
    const large = virtualHost(host, [...routes, ...catchAll], given);
    const wild = virtualHost('*.test', [route('wild', '/none')]);
    const content = {
      listeners: [httpListener(key)],
      tables: [table(key, { exact: [large], fallback: [wild] })],
      backends: { web: backend.port },
    };
    const { envoy } = await startProxy(t, content);
    const port = await envoy.port(key);
    const scopes = Number((await envoy.admin('/stats?filter=scoped_rds.*all_scopes')).match(/all_scopes: (\d+)/)?.[1]);
    t.true(scopes > 600, 'it is cut up');
    const unknown = catchAll[0]?.id;
    for (const spelling of [host, host.toUpperCase(), `${host}:80`, `${host}:30080`]) {
      for (const [path, found] of expectations) {
        const other = path === '/none' && given.fallThrough ? 'wild' : undefined;
        const expected = found ?? unknown ?? other;
        const answer = await ask(port, { host: spelling, path, headers: { 'x-gw-scope': `${key}|${host}|/own-1` } });
        t.is(answer.route, expected, `${spelling}${path}`);
        t.is(answer.status, expected === undefined ? 404 : 200, `${spelling}${path}`);
        if (answer.status === 200) t.false('x-gw-scope' in JSON.parse(answer.body).headers);
      }
      t.is((await ask(port, { host: spelling, path: '/own-9', headers: { 'x-asked': '1' } })).route, 'asked');
      t.is((await ask(port, { host: spelling, path: '/own-9' })).route, 'own-9');
    }
  });
}

test.serial(
  'HTTPS: what a large host has no route for is the wildcard’s or 404, and other listeners’ hosts are 421',
  async (t) => {
    const [owned, wide] = ['https/443/owned', 'https/443/wide'];
    const ok = { action: { kind: 'respond', status: 200 } } as const;
    const answering = own.map(({ id, match }) => ({ id, match, rule: { ...route(id, '/').rule, ...ok } }));
    const { certificate, key: privateKey } = await issue('*.test');
    const text = (pem: string) => new Sensitive(Buffer.from(pem));
    const chain = (name: string, serverName: string) => ({
      kind: 'http' as const,
      name,
      table: name,
      tls: { serverNames: [serverName], certificates: ['default/cert'] },
    });
    const { envoy } = await startProxy(t, {
      listeners: [
        {
          key: 'https/443',
          transport: 'tcp',
          bind: { address: '127.0.0.1', port: 0 },
          chains: [chain(owned, 'owned.test'), chain(wide, '*.test')],
        },
      ],
      tables: [
        table(owned, { exact: [virtualHost('owned.test', answering)] }),
        table(wide, {
          exact: [virtualHost(host, answering, { fallThrough: true })],
          fallback: [
            virtualHost('*.test', [route('wild', '/wild', ok)]),
            virtualHost('owned.test', [], { misdirected: true }),
          ],
        }),
      ],
      secrets: [{ key: 'default/cert', certificateChain: text(certificate), privateKey: text(privateKey) }],
    });
    const port = await envoy.port('https/443');
    const paths = ['/own-5', '/own-5/x', '/wild', '/none'];
    const answersOf = async (sni: string, name: string) => {
      const answers = await askH2(
        port,
        sni,
        [name, name.toUpperCase(), `${name}:8443`].flatMap((spelling) =>
          paths.map((path) => ({ host: spelling, path })),
        ),
      );
      return answers.map(({ status, route }) => route ?? status);
    };
    const thrice = (...found: unknown[]) => [...found, ...found, ...found];
    t.deepEqual(await answersOf('owned.test', 'owned.test'), thrice('own-5', 'own-5', 404, 404));
    t.deepEqual(await answersOf(host, host), thrice('own-5', 'own-5', 'wild', 404));
    t.deepEqual(await answersOf(host, 'owned.test'), thrice(421, 421, 421, 421));
  },
);

for (const variant of ['delta', 'sotw'] as const)
  test.serial(`${variant}: no request fails while a host is cut up, changes and becomes whole again`, async (t) => {
    const backend = await startBackend(t);
    const whole = virtualHost(host, many(500));
    const content = {
      listeners: [httpListener(key)],
      tables: [table(key, { exact: [whole] })],
      backends: { web: backend.port },
    };
    const { envoy, apply } = await startProxy(t, content, variant);
    const port = await envoy.port(key);
    const stops = ['/own-0', '/own-250', '/own-499'].map((path) => askAllTheTime(port, host, path));
    let before = whole;
    const become = async (next: readonly Route[]) => {
      const after = virtualHost(host, next);
      const { upserts, removals } = changed(before, after);
      before = after;
      await apply(upserts, removals);
      return { upserts: upserts.map(({ name }) => name), removals: removals.map(({ name }) => name) };
    };
    for (let round = 0; round < 6; round += 1) {
      t.is((await become(many(501))).upserts.length, 503);
      t.deepEqual(await become([...many(501), route('new', '/new')]), {
        upserts: [`${key}|${host}|/new`, `${key}|${host}|*`, `${key}|${host}`],
        removals: [],
      });
      t.is((await ask(port, { host, path: '/new' })).route, 'new');
      const gone = await become(many(501));
      t.deepEqual(gone.removals, [`${key}|${host}|/new`]);
      t.is((await ask(port, { host, path: '/new' })).status, 404);
      const { upserts, removals } = await become(many(500));
      t.deepEqual(upserts, [`${key}|${host}`]);
      t.is(removals.length, 502);
    }
    for (const stop of stops) {
      const { count, failures } = await stop();
      t.deepEqual(failures, [], `${count} requests`);
      t.true(count > 20);
    }
  });

import http from 'node:http';
import { gunzipSync } from 'node:zlib';
import anyTest, { type TestFn } from 'ava';
import type { BackendRecord, RouteRecord } from '../../src/admin/index.ts';
import { startAdmin, type TestAdmin } from '../support/admin.ts';
import { aiObject, endpointSlice, gateway, gatewayClass, httpRoute, service } from '../support/objects.ts';
import { trafficReport } from '../support/traffic.ts';

const test = anyTest as TestFn<TestAdmin>;

test.beforeEach(async (t) => {
  t.context = await startAdmin();
});
test.afterEach.always((t) => t.context.close());

/** Three routes that are served, one in part, one not at all; and enough of others to be worth packing. */
const world = [
  gatewayClass(),
  gateway('edge'),
  service('web'),
  endpointSlice('web', ['10.0.0.1']),
  httpRoute('cart', { hostnames: ['cart.example.com', 'www.example.com'] }, { namespace: 'default' }),
  httpRoute('degraded', { rules: [{ backendRefs: [{ name: 'missing', port: 80 }] }] }),
  httpRoute('lost', { parentRefs: [{ name: 'nowhere' }] }),
  ...Array.from({ length: 40 }, (_, index) => httpRoute(`many-${index}`, { hostnames: [`m${index}.example.com`] })),
];

const json = async <T>(admin: TestAdmin, path: string): Promise<T> => (await admin.layout1(path)).json() as Promise<T>;
const names = (routes: readonly { readonly name: string }[]) => routes.map(({ name }) => name);

interface Columns {
  readonly snapshotVersion: string;
  readonly revision: string;
  readonly dict: { readonly kind: string[]; readonly gateway: string[]; readonly state: string[] };
  readonly kind: number[];
  readonly ns: string[];
  readonly name: string[];
  readonly host: string[];
  readonly more: number[];
  readonly gw: number[];
  readonly state: number[];
  readonly changed: number[];
}

test('columns say the same as the records of the same routes, in the same order', async (t) => {
  const admin = t.context;
  const id = admin.build(...world);
  const records = await json<RouteRecord[]>(admin, '/v1/routes');
  const columns = await json<Columns>(admin, '/v1/routes?view=columns');
  t.is(columns.snapshotVersion, id);
  const { dict } = columns;
  const rows = columns.name.map((name, at) => ({
    kind: dict.kind[columns.kind[at] as number],
    namespace: columns.ns[at],
    name,
    host: columns.host[at],
    more: columns.more[at],
    gateway: dict.gateway[columns.gw[at] as number],
    state: dict.state[columns.state[at] as number],
  }));
  t.deepEqual(
    rows,
    records.map(({ kind, namespace, name, hostnames, parentRefs, accepted, resolvedRefs }) => ({
      kind,
      namespace,
      name,
      host: hostnames[0] ?? '',
      more: Math.max(0, hostnames.length - 1),
      gateway: `${namespace}/${parentRefs[0]?.name}`,
      state: !accepted ? 'failed' : resolvedRefs ? 'served' : 'degraded',
    })),
  );
  t.true(columns.changed.every((seconds) => Number.isInteger(seconds)));
  const page = await admin.layout1('/v1/routes?view=columns&limit=2&offset=1');
  t.deepEqual(((await page.json()) as Columns).name, names(records).slice(1, 3));
  t.is(page.headers.get('x-total-count'), String(records.length));
});

test('routes are found by a part of what people type, by state, and by listener', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const found = async (query: string) => names(await json<RouteRecord[]>(admin, `/v1/routes?${query}`));
  t.deepEqual(await found('q=CART'), ['cart']);
  t.deepEqual(await found('q=www.'), ['cart']);
  t.deepEqual(await found('q=many-3&limit=2'), ['many-3', 'many-30']);
  t.deepEqual(await found('state=degraded'), ['degraded']);
  t.deepEqual(await found('state=failed'), ['lost']);
  t.deepEqual(await found('accepted=false'), ['lost']);
  t.is((await found('accepted=true')).length, 42);
  t.is((await found('listener=default.edge.http')).length, 42);
  t.is((await found('listener=default.edge.none')).length, 0);
  t.is((await admin.layout1('/v1/routes?state=fine')).status, 400);
});

test('lists are sorted by state, the worst first', async (t) => {
  const admin = t.context;
  admin.build(
    ...world,
    gateway('edge-tls', [{ name: 'https', protocol: 'HTTPS', port: 443 }]),
    gateway('another'),
    service('slow'),
    service('empty'),
    endpointSlice('slow', ['10.0.0.2']),
    httpRoute('others', {
      rules: [{ backendRefs: ['slow', 'empty'].map((name) => ({ name, port: 80 })) }],
    }),
  );
  const sorted = async (path: string) => names(await json<RouteRecord[]>(admin, path));
  t.deepEqual((await sorted('/v1/routes?sort=state')).slice(0, 3), ['lost', 'degraded', 'cart']);
  t.is((await sorted('/v1/routes?sort=state&order=desc')).at(-1), 'lost');
  const [first, ...gateways] = await sorted('/v1/gateways?sort=state');
  t.deepEqual([first, ...gateways].toSorted(), ['another', 'edge', 'edge-tls']);
  acknowledge(admin, 'another', 'edge');
  t.deepEqual(await sorted('/v1/gateways?sort=state'), ['edge-tls', 'another', 'edge']);
  t.deepEqual(await sorted('/v1/backends?sort=state'), ['empty:80', 'slow:80', 'web:80']);
  fails(admin, 'default/web/80', '10.0.0.1:8080');
  t.deepEqual(await sorted('/v1/backends?sort=state'), ['empty:80', 'web:80', 'slow:80']);
  const layout2 = (await (await admin.layout2('/api/v1/backends?sort=state')).json()) as RouteRecord[];
  t.deepEqual(names(layout2), ['empty:80', 'web:80', 'slow:80']);
  t.is((await admin.layout1('/v1/certificates?sort=fine')).status, 400);
});

/** Proxies of these Gateways took what they were sent, and have an address. */
function acknowledge(admin: TestAdmin, ...gateways: readonly string[]): void {
  for (const name of gateways) {
    const key = `default/${name}`;
    admin.graph.acknowledge(key, admin.graph.snapshot()?.gateways.get(key)?.listenersDigest ?? 0n);
    admin.graph.setDataPlane(key, { addresses: [{ type: 'IPAddress', value: '127.0.0.1' }], message: '' } as never);
  }
  admin.build();
}

/** A proxy says of an endpoint that it is ejected. */
function fails(admin: TestAdmin, backend: string, address: string): void {
  const now = admin.now.getTime();
  const endpoints = [{ backend, address, verdict: 'ejected' as const, since: now }];
  admin.traffic.take({ nodeId: 'n1', cluster: 'default/edge' }, trafficReport({ now, endpoints }));
}

test('a backend that proxies find by DNS is judged by what they say of it alone', async (t) => {
  const admin = t.context;
  const group = 'gatewright.dev';
  admin.build(
    ...world,
    aiObject('AIService', 'gpt', { provider: 'stub', endpoint: { hostname: 'api.test' }, models: [{ name: 'm' }] }),
    httpRoute('chat', { rules: [{ backendRefs: [{ group, kind: 'AIService', name: 'gpt' }] }] }),
  );
  const read = () => json<BackendRecord>(admin, '/v1/backends/default/gpt:443');
  const sorted = async () => names(await json<BackendRecord[]>(admin, '/v1/backends?sort=state'));
  const well = await read();
  t.deepEqual([well.hostname, well.endpoints, well.problem], ['api.test', [], null]);
  t.is((await json<BackendRecord>(admin, '/v1/backends/default/web:80')).hostname, null);
  const key = [...(admin.graph.snapshot()?.backends.keys() ?? [])].find((each) => each.startsWith('default/gpt/'));
  fails(admin, 'default/web/80', '10.0.0.1:8080');
  t.deepEqual(await sorted(), ['web:80', 'gpt:443']);
  fails(admin, key ?? '', '192.0.2.7:443');
  t.deepEqual(await sorted(), ['gpt:443', 'web:80']);
  const { endpoints } = await read();
  t.deepEqual(
    endpoints.map(({ address, healthy, verdicts }) => [address, healthy, verdicts.map(({ verdict }) => verdict)]),
    [['192.0.2.7:443', false, ['ejected']]],
  );
});

test('the tag of backends changes with what is said of their endpoints', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const ask = (tag: string) => admin.layout1('/v1/backends', { headers: { 'If-None-Match': tag } });
  const first = (await ask('')).headers.get('etag') ?? '';
  t.is((await ask(first)).status, 304);
  fails(admin, 'default/web/80', '10.0.0.1:8080');
  const second = await ask(first);
  t.is(second.status, 200);
  t.regex(await second.text(), /"ejected"/);
  t.is((await ask(second.headers.get('etag') ?? '')).status, 304);
  // Not ready, so proxies are sent one endpoint as before.
  const away = endpointSlice('web', ['10.0.0.9'], { suffix: '2' });
  admin.build({ ...away, endpoints: [{ addresses: ['10.0.0.9'], conditions: { ready: false } }] });
  const third = await ask(second.headers.get('etag') ?? '');
  t.is(third.status, 200);
  t.regex(await third.text(), /10\.0\.0\.9/);
});

test('a tag is known before the answer is made, and changes with what is shown and with nothing else', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const tagOf = async (path: string) => (await admin.layout1(path)).headers.get('etag') ?? '';
  const again = async (path: string, tag: string) =>
    (await admin.layout1(path, { headers: { 'If-None-Match': tag } })).status;
  for (const path of ['/v1/routes', '/v1/routes?view=columns', '/v1/listeners', '/v1/backends']) {
    const tag = await tagOf(path);
    t.is(await again(path, tag), 304, path);
    // A route changes; then one that loses its Service, so that only its status does.
    admin.build(httpRoute('many-1', { hostnames: [`${Math.random()}.example.com`] }));
    const changed = await tagOf(path);
    t.not(changed, tag, path);
    t.is(await again(path, tag), 200, path);
  }
  const before = await tagOf('/v1/routes');
  admin.build(endpointSlice('web', ['10.0.0.1', '10.0.0.2']));
  t.is(await tagOf('/v1/routes'), before, 'endpoints are no part of a route');
  admin.graph.remove('Service', 'default/web');
  admin.build();
  t.not(await tagOf('/v1/routes'), before, 'a reference that does not resolve any more');

  // Another process counts from the same numbers.
  const other = await startAdmin();
  t.teardown(() => other.close());
  other.build(...world);
  const third = await startAdmin();
  t.teardown(() => third.close());
  third.build(...world);
  t.not(
    (await other.layout1('/v1/routes')).headers.get('etag'),
    (await third.layout1('/v1/routes')).headers.get('etag'),
  );
});

test('lists that grow without bound have light forms', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const [listener] = await json<object[]>(admin, '/v1/listeners?view=light');
  t.like(listener, { name: 'default.edge.http', attachedRoutes: 42 });
  t.false('routes' in (listener ?? {}));
  t.like((await json<object[]>(admin, '/v1/listeners'))[0], { attachedRoutes: 42 });
  const [backend] = await json<{ referencedBy: { count: number; first: { name: string }[] } }[]>(
    admin,
    '/v1/backends?view=light',
  );
  t.is(backend?.referencedBy.count, 41);
  t.deepEqual(await json(admin, '/v1/backends/default/web:80?view=light'), backend);
  t.deepEqual(await json(admin, '/v1/listeners/default.edge.http?view=light'), listener);
  t.true('routes' in (await json<object>(admin, '/v1/listeners/default.edge.http')));
  for (const path of ['/v1/listeners/default.edge.http', '/v1/backends/default/web:80'])
    t.is((await admin.layout1(`${path}?view=odd`)).status, 400);
  t.is(backend?.referencedBy.first.length, 20);
  const [whole] = await json<{ referencedBy: { name: string }[] }[]>(admin, '/v1/backends');
  t.deepEqual(backend?.referencedBy.first, whole?.referencedBy.slice(0, 20));
});

interface Raw {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** As it comes over the wire. */
const raw = (admin: TestAdmin, path: string, headers: Record<string, string>, method = 'GET'): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const sent = http
      .request({ host: '127.0.0.1', port: admin.ports.layout1, path, headers, method, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        const end = () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          // A stream has no end.
          if (response.headers['content-type']?.startsWith('text/event-stream')) {
            end();
            sent.destroy();
          }
        });
        response.once('end', end);
      })
      .once('error', reject);
    sent.end();
  });

test('large answers in JSON are packed for those who accept it; streams, small answers and others never are', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const plain = await raw(admin, '/v1/routes', {});
  t.is(plain.headers['content-encoding'], undefined);
  t.is(plain.headers.vary, 'Accept-Encoding');
  const packed = await raw(admin, '/v1/routes', { 'accept-encoding': 'br, gzip' });
  t.is(packed.headers['content-encoding'], 'gzip');
  t.is(Number(packed.headers['content-length']), packed.body.length);
  t.deepEqual(gunzipSync(packed.body), plain.body);
  t.true(packed.body.length * 5 < plain.body.length, `${packed.body.length} of ${plain.body.length}`);
  // The tag is that of the content, and works in both forms.
  t.is(packed.headers.etag, `W/${plain.headers.etag}`);
  const tag = packed.headers.etag ?? '';
  for (const accepted of ['gzip', 'identity']) {
    const again = await raw(admin, '/v1/routes', { 'accept-encoding': accepted, 'if-none-match': tag });
    t.is(again.status, 304);
    t.is(again.body.length, 0);
  }
  for (const accepted of ['identity', 'gzip;q=0', 'deflate'])
    t.is((await raw(admin, '/v1/routes', { 'accept-encoding': accepted })).headers['content-encoding'], undefined);
  const small = await raw(admin, '/v1/routes?limit=1', { 'accept-encoding': 'gzip' });
  t.is(small.headers['content-encoding'], undefined);
  const stream = await raw(admin, '/v1/events', { 'accept-encoding': 'gzip' });
  t.is(stream.headers['content-encoding'], undefined);
  t.regex(stream.body.toString(), /^retry: /);
  const head = await raw(admin, '/v1/routes', { 'accept-encoding': 'gzip' }, 'HEAD');
  t.is(head.status, 200);
  t.is(head.body.length, 0);
  t.is((await raw(admin, '/openapi.json', { 'accept-encoding': 'gzip' })).headers['content-encoding'], 'gzip');
});

test('many who want packed answers at once all get one, packed or not', async (t) => {
  const admin = t.context;
  admin.build(...world);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => raw(admin, '/v1/routes', { 'accept-encoding': 'gzip' })),
  );
  const texts = answers.map(({ headers, body }) =>
    (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString(),
  );
  t.is(new Set(texts).size, 1);
});

import http from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { send, serviceObjects } from '../support/http.ts';
import { pod, xObject } from '../support/objects.ts';
import { crowdObjects, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** A backend on every address given, at one port, that answers with the address. */
async function startOn(t: ExecutionContext, addresses: readonly string[]): Promise<number> {
  const port = await freePort();
  for (const address of addresses) {
    const server = http.createServer((_request, response) => response.end(address));
    // If an idle connection were closed while a request is on its way, the request would fail for no fault of the gateway.
    server.keepAliveTimeout = 0;
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
  }
  return port;
}

const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
const ref = (name: string) => ({ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name });
const selecting = (name: string, port: number, sessionPersistence?: object) =>
  xObject('XBackend', name, {
    type: 'EndpointSelector',
    endpointSelector: { matchLabels: { app: 'shop' } },
    port: { number: port },
    ...(sessionPersistence && { sessionPersistence }),
  });
const rule = (path: string, backendRefs: readonly object[], more: object = {}) => ({
  matches: [{ path: { type: 'PathPrefix', value: path } }],
  backendRefs,
  ...more,
});

/** What a browser would do: the cookies of all answers so far go along. */
class Browser {
  readonly cookies = new Map<string, string>();
  /** `set-cookie` of the last answer. */
  given: readonly string[] = [];
  readonly #port: number;
  readonly #host: string;

  constructor(port: number, host: string) {
    this.#port = port;
    this.#host = host;
  }

  async ask(path: string): Promise<string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { status, headers, body } = await send(this.#port, { host: this.#host, path, headers: { cookie } });
    if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
    this.given = headers['set-cookie'] ?? [];
    for (const line of this.given) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return body;
  }
}

async function often<T>(times: number, ask: () => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let sent = 0; sent < times; sent++) answers.push(await ask());
  return answers;
}

const distinct = (values: readonly string[]) => [...new Set(values)].sort();

async function startShop(t: ExecutionContext): Promise<Standalone> {
  const port = await startOn(t, addresses);
  const other = await startOn(t, addresses);
  const world = await startStandalone({
    'backends.yaml': [
      selecting('cart', port, { cookie: { name: 'cart', path: '/cart' } }),
      selecting('plain', port),
      selecting('v1', port, { cookie: { name: 'split' } }),
      selecting('v2', other, { cookie: { name: 'split' } }),
      ...serviceObjects('ruled', []),
      ...serviceObjects('governed', []),
      ...['ruled', 'governed'].map((name) => ({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: `${name}-all`, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        ports: [{ port }],
        endpoints: addresses.map((address) => ({ addresses: [address] })),
      })),
      xObject('XBackendTrafficPolicy', 'sticky', {
        targetRefs: [{ group: '', kind: 'Service', name: 'governed' }],
        sessionPersistence: { type: 'Header', header: { name: 'X-Pin' } },
      }),
    ],
    'pods.yaml': addresses.map((address, index) => pod(`shop-${index}`, { app: 'shop' }, address)),
    'route.yaml': [
      routeObject('exact', 'h.test', [
        rule('/cart', [ref('cart')]),
        rule('/plain', [ref('plain')]),
        rule('/split', [ref('v1'), ref('v2')]),
        rule('/ruled', [{ name: 'ruled', port: 80 }], {
          sessionPersistence: {
            cookie: { lifetimeType: 'Permanent' },
            absoluteTimeout: '1h',
          },
        }),
        rule('/governed', [{ name: 'governed', port: 80 }]),
      ]),
      routeObject('wide', '*.wide.test', [rule('/', [ref('cart')])]),
      routeObject('parted', 'parted.test', [rule('/cart', [ref('cart')])]),
      ...crowdObjects('parted.test', 'ruled'),
    ],
  });
  t.teardown(() => world.stop());
  await untilFits(
    'every backend to answer',
    () =>
      Promise.all(
        ['/cart', '/plain', '/split', '/ruled', '/governed'].map(
          async (path) => (await send(world.port, { host: 'h.test', path })).status,
        ),
      ),
    (statuses) => statuses.every((status) => status === 200),
  );
  return world;
}

test('sessions of XBackends, of rules and of policies keep clients with their endpoints', async (t) => {
  const world = await startShop(t);
  const { port, log } = world;

  // An XBackend's own, by a name and path of its choice; a backend beside it over the same Pods has none.
  for (const host of ['h.test', `h.test:${port}`, 'a.wide.test', 'parted.test']) {
    const browser = new Browser(port, host);
    const pinned = await browser.ask('/cart');
    t.regex(browser.given[0] ?? '', /^cart=[\w-]{22}; Path=\/cart; HttpOnly; SameSite=Strict$/, host);
    t.deepEqual(distinct(await often(9, () => browser.ask('/cart'))), [pinned], host);
    t.deepEqual(browser.given, []);
  }
  const guest = new Browser(port, 'h.test');
  t.deepEqual(distinct(await often(9, () => guest.ask('/plain'))), addresses);
  t.is(guest.cookies.size, 0);

  // A rule's own, under a name that is made up and kept as long as the session lasts.
  const ruled = new Browser(port, 'h.test');
  const pinned = await ruled.ask('/ruled');
  t.regex(ruled.given[0] ?? '', /^gw-[0-9a-f]{12}=[\w-]{22}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/);
  t.deepEqual(distinct(await often(9, () => ruled.ask('/ruled'))), [pinned]);

  // A policy's, by header.
  const first = await send(port, { host: 'h.test', path: '/governed' });
  const token = String(first.headers['x-pin']);
  t.regex(token, /^[\w-]{22}$/);
  const later = await often(9, () => send(port, { host: 'h.test', path: '/governed', headers: { 'x-pin': token } }));
  t.deepEqual(distinct(later.map(({ body }) => body)), [first.body]);
  t.true(later.every(({ headers }) => headers['x-pin'] === undefined));

  // Weights choose the backend for every request; in each backend the client has its place, though both use one name.
  const browser = new Browser(port, 'h.test');
  await often(40, () => browser.ask('/split'));
  const { 1: one = '', 2: two = '', length } = ['', ...(browser.cookies.get('split') ?? '').split('.')];
  t.is(length, 3, 'a token of each backend');
  t.not(one, two);
  const settled = await often(40, () => browser.ask('/split').then((body) => ({ body, given: browser.given })));
  t.true(settled.every(({ given }) => given.length === 0));
  t.true(distinct(settled.map(({ body }) => body)).length <= 2, 'one endpoint of each backend');

  t.true(log.some(({ msg }) => String(msg).includes('auto-generated and not shared across replicas or restarts')));
});

test('the settings of sessions are shown, and what is not available is reported', async (t) => {
  const world = await startShop(t);
  const { control, json, write } = world;
  type Record = { readonly body: { readonly sessionPersistence: unknown } };
  const shown = async (name: string) =>
    ((await json(control.ports.layout1, `/v1/backends/default/${name}`)) as Record).body.sessionPersistence;
  const cart = [...(control.graph.snapshot()?.backends.values() ?? [])].find(({ service }) => service === 'cart');
  t.deepEqual(await shown(`cart:${cart?.port}`), {
    type: 'Cookie',
    name: 'cart',
    lifetimeType: 'Session',
    absoluteTimeout: null,
    source: { kind: 'XBackend', namespace: 'default', name: 'cart' },
  });
  t.like(await shown('governed:80'), { type: 'Header', name: 'X-Pin' });
  t.is(await shown('ruled:80'), null, 'a rule’s word is the rule’s');

  write(
    'bad.yaml',
    routeObject('bad', 'bad.test', [
      rule('/', [{ name: 'ruled', port: 80 }], { sessionPersistence: { cookie: { path: '/; Domain=evil.test' } } }),
    ]),
  );
  await untilFits(
    'the rule to be rejected',
    async () => (await send(world.port, { host: 'bad.test' })).status,
    (status) => status === 500,
  );
  const status = control.graph.statusOf('HTTPRoute', 'default/bad');
  t.regex(JSON.stringify(status), /sessionPersistence: cookie\.path .* is no path of a cookie/);
});

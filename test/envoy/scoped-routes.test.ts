import { connect } from 'node:net';
import test from 'ava';
import { type Route, Sensitive, type VirtualHost } from '../../src/ir/index.ts';
import { issue } from '../support/certificates.ts';
import { exactScope, httpListener, route, table, virtualHost } from '../support/ir.ts';
import { ask, askAllTheTime, askH2, type Echo, startBackend, startProxy } from '../support/ir-proxy.ts';
import { every, repetitions, thorough } from '../support/repetitions.ts';

/** What the tests of one port share: an exact host under a wildcard, one that a listener owns, wildcards, the rest. */
const someHosts = {
  exact: [
    virtualHost('a.wild.test', [route('exact', '/x')], { fallThrough: true }),
    virtualHost('plain.test', [route('plain', '/x')], { fallThrough: true }),
    virtualHost('owned.test', [route('owned', '/x')]),
  ],
  fallback: [virtualHost('*.wild.test', [route('wild', '/w')]), virtualHost('*', [route('rest', '/r')])],
};

/** Host, path, status and the route that answers. */
const expectations: readonly (readonly [host: string, path: string, status: number, route?: string])[] = [
  ['a.wild.test', '/x', 200, 'exact'],
  ['a.wild.test', '/x/deeper?q=1', 200, 'exact'],
  ['a.wild.test', '/w', 200, 'wild'],
  ['a.wild.test', '/r', 404],
  ['a.wild.test', '/none', 404],
  ['plain.test', '/x', 200, 'plain'],
  ['plain.test', '/r', 200, 'rest'],
  ['plain.test', '/w', 404],
  ['owned.test', '/x', 200, 'owned'],
  ['owned.test', '/r', 404],
  ['b.wild.test', '/w', 200, 'wild'],
  ['c.b.wild.test', '/w', 200, 'wild'],
  ['b.wild.test', '/x', 404],
  ['wild.test', '/r', 200, 'rest'],
  ['unknown.test', '/r', 200, 'rest'],
  ['unknown.test', '/x', 404],
];

for (const [variant, key] of every(2, [
  ['delta', 'http/80'],
  ['delta', 'http/8080'],
  ['sotw', 'http/80'],
] as const)) {
  test.serial(
    `${variant}, ${key}: every spelling of Host reaches its route, and the backend sees it as it was`,
    async (t) => {
      const backend = await startBackend(t);
      const content = {
        listeners: [httpListener(key)],
        tables: [table(key, someHosts)],
        backends: { web: backend.port },
      };
      const { envoy } = await startProxy(t, content, variant);
      const port = await envoy.port(key);
      const forged = { 'x-gw-scope': [`${key}|owned.test`, `${key}|*`] };
      for (const [name, path, status, expected] of expectations) {
        for (const spelling of [name, name.toUpperCase()]) {
          for (const suffix of ['', ':80', ':8080', ':30080']) {
            const host = spelling + suffix;
            const answer = await ask(port, { host, path, headers: forged });
            t.is(answer.status, status, `${host}${path}`);
            if (answer.status !== 200) continue;
            t.is(answer.route, expected, `${host}${path}`);
            const seen = JSON.parse(answer.body) as Echo;
            t.is(seen.headers.host, host);
            t.false('x-gw-scope' in seen.headers);
          }
        }
      }
    },
  );
}

test.serial('an empty table answers 404, and so does an unknown host without a fallback', async (t) => {
  const content = { listeners: [httpListener('http/80')], tables: [table('http/80', {})] };
  const { envoy, apply } = await startProxy(t, content);
  const port = await envoy.port('http/80');
  t.is((await ask(port, { host: 'any.test' })).status, 404);
  const status = { action: { kind: 'respond', status: 418 } } as const;
  await apply([exactScope('http/80', virtualHost('any.test', [route('r', '/', status)]))]);
  t.is((await ask(port, { host: 'any.test' })).status, 418);
  t.is((await ask(port, { host: 'ANY.test:99' })).status, 418);
  t.is((await ask(port, { host: 'other.test' })).status, 404);
});

thorough(test.serial)('a WebSocket opens on exact hosts and on those that fall through', async (t) => {
  const backend = await startBackend(t);
  const content = {
    listeners: [httpListener('http/80')],
    tables: [table('http/80', someHosts)],
    backends: { web: backend.port },
  };
  const { envoy } = await startProxy(t, content);
  const port = await envoy.port('http/80');
  for (const [host, path] of [
    ['a.wild.test', '/x'],
    ['A.wild.test', '/x'],
    ['b.wild.test', '/w'],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    t.regex(text, /^HTTP\/1\.1 101 .*hello$/s, host);
  }
});

thorough(test.serial)(
  'what the route says holds after the fallthrough too: timeout, header changes, redirect',
  async (t) => {
    const backend = await startBackend(t);
    const redirect: Partial<Route['rule']> = {
      action: { kind: 'redirect', scheme: 'https', statusCode: 302 },
      filters: { responseHeaders: undefined },
    };
    const routes = [
      route('late', '/silent', { requestTimeoutMs: 200 }),
      route('gone', '/redirect', redirect),
      route('headers', '/', {
        filters: { requestHeaders: { set: [{ name: 'x-given', value: '100%' }], add: [], remove: ['x-secret'] } },
      }),
    ];
    const tables = [
      table('http/80', {
        exact: [virtualHost('exact.test', routes)],
        fallback: [virtualHost('*.wild.test', routes)],
      }),
    ];
    const { envoy } = await startProxy(t, {
      listeners: [httpListener('http/80')],
      tables,
      backends: { web: backend.port },
    });
    const port = await envoy.port('http/80');
    for (const host of ['exact.test', 'EXACT.test', 'any.wild.test']) {
      const seen = JSON.parse((await ask(port, { host, headers: { 'x-secret': '1' } })).body) as Echo;
      t.is(seen.headers['x-given'], '100%', host);
      t.false('x-secret' in seen.headers, host);
      const { location, status } = await ask(port, { host: `${host}:8080`, path: '/redirect/a:1?u=http://z:2/' });
      t.is(status, 302);
      t.is(location?.toLowerCase(), `https://${host.toLowerCase()}/redirect/a:1?u=http://z:2/`);
      t.is((await ask(port, { host, path: '/silent' })).status, 504, `${host}: the request ends at the timeout`);
    }
  },
);

test.serial('no request fails while a host changes, gets a scope of its own and loses it', async (t) => {
  const backend = await startBackend(t);
  const wild = virtualHost('*.test', [route('wild', '/')]);
  const content = {
    listeners: [httpListener('http/80')],
    tables: [table('http/80', { fallback: [wild] })],
    backends: { web: backend.port },
  };
  const { envoy, apply } = await startProxy(t, content);
  const port = await envoy.port('http/80');
  const own = (name: string) => exactScope('http/80', virtualHost('busy.test', [route(name, '/')]));
  const rounds = repetitions({ few: 4, all: 12 });
  for (const host of ['busy.test', 'Busy.test']) {
    const stop = askAllTheTime(port, host);
    for (let round = 0; round < rounds; round += 1) {
      for (let flip = 0; flip < 4; flip += 1) await apply([own(`r${flip}`)]);
      await apply([], [own('')]);
    }
    const { count, failures } = await stop();
    t.deepEqual(failures, [], `${host}: ${count} requests`);
    t.true(count > 20);
  }
});

thorough(test.serial)('a response under way is finished although its scope changes and goes', async (t) => {
  const backend = await startBackend(t);
  const content = {
    listeners: [httpListener('http/80')],
    tables: [table('http/80', {})],
    backends: { web: backend.port },
  };
  const { envoy, apply } = await startProxy(t, content);
  const port = await envoy.port('http/80');
  const own = (name: string) => exactScope('http/80', virtualHost('slow.test', [route(name, '/')]));
  await apply([own('before')]);
  let begun: () => void = () => {};
  const firstByte = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const answer = ask(port, { host: 'slow.test', path: '/held', onFirstByte: () => begun() });
  await firstByte;
  await apply([own('after')]);
  t.is((await ask(port, { host: 'slow.test' })).route, 'after');
  await apply([], [own('')]);
  t.is((await ask(port, { host: 'slow.test' })).status, 404);
  backend.release();
  t.like(await answer, { status: 200, route: 'before', body: 'first half, second half' });
});

/** Hostname of each HTTPS listener of the port; empty: every host. */
const httpsListeners = ['', 'a.test', '*.b.test', 'x.b.test', '*.x.b.test'] as const;
type HttpsListener = (typeof httpsListeners)[number];
const httpsHosts = ['a.test', 'x.b.test', 'q.b.test', 'e.x.b.test', 'd.q.x.b.test', 'other.test', 'b.test'];

const covers = (listener: string, host: string): boolean =>
  listener === '' || listener === host || (listener.startsWith('*') && host.endsWith(listener.slice(1)));
const precision = (listener: string): number =>
  (listener.startsWith('*') ? 0 : 1000 * listener.length) + listener.length;
const bestFor = (host: string): HttpsListener =>
  httpsListeners.filter((listener) => covers(listener, host)).sort((a, b) => precision(b) - precision(a))[0] ?? '';
const tableOf = (listener: string): string => `https/443/l${httpsListeners.indexOf(listener as HttpsListener)}`;

function httpsTable(listener: string) {
  const ok = route(tableOf(listener), '/ok', { action: { kind: 'respond', status: 200 } });
  const own = virtualHost(listener || '*', [ok]);
  const others: VirtualHost[] = httpsListeners
    .filter((other) => other !== listener)
    .map((other) => virtualHost(other || '*', [], { misdirected: true }));
  const isExact = listener !== '' && !listener.startsWith('*');
  return table(tableOf(listener), { exact: isExact ? [own] : [], fallback: isExact ? others : [own, ...others] });
}

test.serial('HTTPS: own hosts 404, hosts of other listeners 421, whatever SNI says', async (t) => {
  const { certificate, key } = await issue('a.test', '*.b.test');
  const text = (pem: string) => new Sensitive(Buffer.from(pem));
  const chains = httpsListeners.map((listener) => ({
    kind: 'http' as const,
    name: tableOf(listener),
    table: tableOf(listener),
    tls: { serverNames: listener === '' ? [] : [listener], certificates: ['default/cert'] },
  }));
  const { envoy } = await startProxy(t, {
    listeners: [{ key: 'https/443', transport: 'tcp', bind: { address: '127.0.0.1', port: 0 }, chains }],
    tables: httpsListeners.map(httpsTable),
    secrets: [{ key: 'default/cert', certificateChain: text(certificate), privateKey: text(key) }],
  });
  const port = await envoy.port('https/443');
  for (const sni of httpsHosts) {
    const asked = httpsHosts.flatMap((host) =>
      ['/ok', '/none'].flatMap((path) =>
        [host, host.toUpperCase(), `${host}:443`, `${host}:8443`].map((spelt) => ({ host: spelt, path, name: host })),
      ),
    );
    const answers = await askH2(port, sni, asked);
    for (const [index, { name, host, path }] of asked.entries()) {
      const owner = bestFor(name);
      const expected = owner !== bestFor(sni) ? 421 : path === '/ok' ? 200 : 404;
      t.is(answers[index]?.status, expected, `SNI ${sni}, ${host}${path}`);
      if (expected === 200) t.is(answers[index]?.route, tableOf(owner));
    }
  }
  const scopes = Number((await envoy.admin('/stats?filter=scoped_rds.*all_scopes')).match(/all_scopes: (\d+)/)?.[1]);
  t.is(scopes, httpsListeners.length + 2, 'five chains share one collection');
});

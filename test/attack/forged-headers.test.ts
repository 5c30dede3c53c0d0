import anyTest, { type TestFn } from 'ava';
import { endings } from '../support/endings.ts';
import { type CountingBackend, serviceObjects, startBackend } from '../support/http.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

// A stranger writes what only proxies write, and paths that lead around what guards a route.

interface World {
  readonly gateway: Standalone;
  /** Behind `/open`, answers 503 below `/open/fails`. */
  readonly open: CountingBackend;
  /** Behind `/admin`. */
  readonly guarded: CountingBackend;
}

const test = anyTest as TestFn<World>;
const all = endings(test);

test.before(async (t) => {
  const open = await startBackend(all, ({ url = '' }, response) => {
    response.statusCode = url.startsWith('/open/fails') ? 503 : 200;
    if (!url.startsWith('/open/silent')) response.end('open');
  });
  const guarded = await startBackend(all);
  const to = (name: string, path: string, more: object = {}) => ({
    matches: [{ path: { type: 'PathPrefix', value: path } }],
    backendRefs: [{ name, port: 80 }],
    ...more,
  });
  const rules = [to('guarded', '/admin'), to('open', '/open/silent', { timeouts: { request: '1s' } }), to('open', '/')];
  const gateway = await startStandalone({
    'web.yaml': [
      ...serviceObjects('open', [open.port]),
      ...serviceObjects('guarded', [guarded.port]),
      routeObject('pub', 'pub.test', rules),
    ],
  });
  all.teardown(() => gateway.stop());
  t.context = { gateway, open, guarded };
  await untilFits(
    'the route',
    () => ask(t.context, '/open/ready'),
    ({ status }) => status === 200,
  );
});

const ask = ({ gateway }: World, path: string, headers: readonly string[] = []) =>
  exchange(gateway.port, rawRequest(path, ['Host: pub.test', ...headers]));

const seenAt = ({ open }: World, path: string) => open.seen[open.requests.indexOf(path)] ?? {};

test('retries, timeouts and internal marks that a client asks Envoy for are without effect', async (t) => {
  const wanting = ['x-envoy-max-retries: 5', 'x-envoy-retry-on: 5xx', 'x-envoy-hedge-on-per-try-timeout: true'];
  t.is((await ask(t.context, '/open/fails/once', wanting)).status, 503);
  t.is(t.context.open.requests.filter((path) => path === '/open/fails/once').length, 1, 'one try');
  const waiting = ['x-envoy-upstream-rq-timeout-ms: 60000', 'x-envoy-upstream-rq-per-try-timeout-ms: 60000'];
  t.is((await ask(t.context, '/open/silent', waiting)).status, 504, 'the route says how long is waited');
});

test('what a client says in the name of a proxy is removed, or put behind what the proxy saw itself', async (t) => {
  const forged = [
    'x-envoy-original-path: /forged',
    'x-envoy-internal: true',
    'x-envoy-external-address: 192.0.2.9',
    'x-envoy-force-trace: true',
    'x-envoy-decorator-operation: forged',
    'x-forwarded-client-cert: By=forged',
    'x-forwarded-for: 192.0.2.9',
    'x-forwarded-proto: https',
    'x-forwarded-host: evil.example',
  ];
  t.is((await ask(t.context, '/open/forged', forged)).status, 200);
  const seen = seenAt(t.context, '/open/forged');
  const envoys = Object.entries(seen).filter(
    ([name, value]) => name.startsWith('x-envoy-') && /forged|192\.0\.2\.9/.test(String(value)),
  );
  t.deepEqual(envoys, []);
  t.is(seen['x-forwarded-client-cert'], undefined);
  t.is(seen['x-forwarded-proto'], 'http');
  t.regex(String(seen['x-forwarded-for']), /^192\.0\.2\.9, ?(?!192\.0\.2\.9)[\d.]+$/, 'the last is what the proxy saw');
});

/** Spellings of `/admin/x`, and of `/open/x`: what the route sees is what the backend sees. */
const spellings: readonly (readonly [path: string, backend: 'guarded' | 'open' | 307 | 400, seen?: string])[] = [
  ['/admin/x', 'guarded', '/admin/x'],
  ['/open/../admin/x', 'guarded', '/admin/x'],
  ['/open/%2e%2e/admin/x', 'guarded', '/admin/x'],
  ['/open/.%2E/admin/x', 'guarded', '/admin/x'],
  ['//admin/x', 'guarded', '/admin/x'],
  ['/./admin//x', 'guarded', '/admin/x'],
  ['/%61dmin/x', 'guarded', '/admin/x'],
  ['\\admin\\x', 400],
  ['/open\\..\\admin\\x', 'guarded', '/admin/x'],
  ['/admin/../open/x', 'open', '/open/x'],
  ['/admin%2f..%2fopen/x', 307],
  ['/open%5c..%5cadmin/x', 307],
  ['/open/..;/admin/x', 'guarded', '/admin/x'],
  ['/open/%252e%252e/admin/x', 'open', '/open/%252e%252e/admin/x'],
  ['/open/%00/admin', 400],
  ['/open/x#/admin', 400],
];

test('no spelling of a path leads a request around the route that guards it', async (t) => {
  const { open, guarded } = t.context;
  for (const [index, [path, expected, seen]] of spellings.entries()) {
    const marked = path.includes('#') ? path : `${path}?spelling=${index}`;
    const { status } = await ask(t.context, marked);
    const reached = { open, guarded };
    const places = Object.entries(reached).flatMap(([name, { requests }]) =>
      requests.filter((each) => each.endsWith(`?spelling=${index}`)).map((each) => [name, each.split('?')[0]]),
    );
    t.deepEqual(places, typeof expected === 'string' ? [[expected, seen]] : [], path);
    t.is(status, typeof expected === 'string' ? 200 : expected, path);
  }
});

import { once } from 'node:events';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { type IngressParts, ingressOf } from '../support/ingress-model.ts';
import { startNginx } from '../support/nginx.ts';
import { thorough } from '../support/repetitions.ts';

function folder(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const made = mkdtempSync(join(tmpdir(), 'gatewright-compare-'));
  t.teardown(() => rmSync(made, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
  return made;
}

const documents = (...objects: readonly object[]): string => objects.map((object) => stringify(object)).join('---\n');

const ingresses = (...all: readonly IngressParts[]): string => documents(...all.map(ingressOf));

const gatewayApi = 'gateway.networking.k8s.io/v1';
const gateway = {
  apiVersion: gatewayApi,
  kind: 'Gateway',
  metadata: { name: 'edge', namespace: 'shop' },
  spec: { gatewayClassName: 'gatewright', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
};
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'shop' },
  spec: { ports: [{ port: 80 }] },
});
const route = (rules: readonly object[]) => ({
  apiVersion: gatewayApi,
  kind: 'HTTPRoute',
  metadata: { name: 'app', namespace: 'shop' },
  spec: { parentRefs: [{ name: 'edge' }], hostnames: ['a.test'], rules },
});
const forward = (value: string, name: string, type = 'PathPrefix') => ({
  matches: [{ path: { type, value } }],
  backendRefs: [{ name, port: 80 }],
});

/** Compares by model, over HTTP alone: the converted files have no certificate. */
async function offline(t: ExecutionContext, from: string, to: string, ...more: readonly string[]) {
  const made = folder(t, { 'from.yaml': from, 'to.yaml': to });
  const paths = ['-f', join(made, 'from.yaml'), '--converted', join(made, 'to.yaml')];
  return await runCommand(['migrate', 'compare', '--offline', ...paths, ...more]);
}

const reportOf = (stdout: string) =>
  JSON.parse(stdout) as {
    readonly asked: number;
    readonly unexplained: number;
    readonly notSent: Readonly<Record<string, number>>;
    readonly different: readonly {
      readonly request: {
        readonly method: string;
        readonly target: string;
        readonly scheme: string;
        readonly host: string;
      };
      readonly unexplained: boolean;
      readonly differences: readonly { readonly what: string; readonly code: string | null }[];
    }[];
  };

test('converted files that answer alike have no unexplained difference', async (t) => {
  const log = ['/shop', '/shop/cart', '/shopping', '/', '/shop//x', '/shop%2Fx']
    .map((target) => `a.test 192.0.2.1 - - [26/Nov/2026:01:00:00 +0000] "GET ${target} HTTP/1.1" 200 5`)
    .join('\n');
  const made = folder(t, {
    'from.yaml': ingresses({ paths: { '/shop': 'shop' } }),
    'to.yaml': documents(gateway, service('shop'), route([forward('/shop', 'shop')])),
    'access.log': log,
  });
  const { code, stdout, stderr } = await runCommand([
    ...['migrate', 'compare', '--offline', '-f', join(made, 'from.yaml')],
    ...['--converted', join(made, 'to.yaml'), '--requests', join(made, 'access.log')],
  ]);
  t.is(code, 0, stdout);
  t.regex(stdout, /^6 requests, by model: 4 alike, 2 explained, 0 unexplained\n/);
  t.regex(stdout, /explained \(raw-path\): 1\n/);
  t.regex(stdout, /explained \(escaped-slash\): 1\n/);
  t.regex(stderr, /6 distinct requests in 6 lines/);
});

thorough(test)('ports of the Gateway that stand for the usual ones are found', async (t) => {
  const made = folder(t, { 'from.yaml': ingresses({ paths: { '/': 'web' } }) });
  const from = ['-f', join(made, 'from.yaml')];
  const ports = ['--http-port', '8080', '--https-port', '8443'];
  await runCommand(['migrate', 'convert', ...from, '--gateway', 'shop/edge', '--out', join(made, 'to'), ...ports]);
  const { code, stdout } = await runCommand([
    ...['migrate', 'compare', '--offline', ...from, '--converted', join(made, 'to')],
  ]);
  t.is(code, 0, stdout);
  t.regex(stdout, / 0 unexplained\n/);
});

test('a path that leads elsewhere is unexplained, and exit code 1', async (t) => {
  const { code, stdout } = await offline(
    t,
    ingresses({ paths: { '/shop': 'shop', '/': 'root' } }),
    documents(
      gateway,
      service('shop'),
      service('root'),
      route([forward('/shop', 'shop', 'Exact'), forward('/', 'root')]),
    ),
  );
  t.is(code, 1);
  t.regex(
    stdout,
    /UNEXPLAINED {2}GET http:\/\/a\.test\/shop\/probe\n {2}path \/shop: below it\n {2}backend: shop\/shop:80 → shop\/root:80/,
  );
});

thorough(test)('expressions that were converted to a prefix are found by another case', async (t) => {
  const { code, stdout } = await offline(
    t,
    ingresses({ annotations: { 'use-regex': 'true' }, paths: { 'ImplementationSpecific /shop': 'shop' } }),
    documents(gateway, service('shop'), route([forward('/shop', 'shop')])),
    '-o',
    'json',
  );
  t.is(code, 1);
  const targets = reportOf(stdout)
    .different.filter(({ unexplained, request }) => unexplained && request.scheme === 'http')
    .map(({ request }) => request.target);
  t.true(targets.includes('/SHOP'));
  t.true(targets.includes('/shopprobe'));
  t.false(targets.includes('/shop'));
});

test('an allow list that was left out is unexplained', async (t) => {
  const { code, stdout } = await offline(
    t,
    ingresses({ annotations: { 'auth-type': 'basic', 'auth-secret': 'users' }, paths: { '/': 'shop' } }),
    documents(gateway, service('shop'), route([forward('/', 'shop')])),
    '-o',
    'json',
  );
  t.is(code, 1);
  t.true(
    reportOf(stdout).different.some(({ differences }) =>
      differences.some(({ what, code: known }) => what === 'status' && known === null),
    ),
  );
});

thorough(test)('a canary is compared by its shares', async (t) => {
  const canary: IngressParts[] = [
    { name: 'main', paths: { '/': 'main' } },
    { name: 'new', annotations: { canary: 'true', 'canary-weight': '20' }, paths: { '/': 'new' } },
  ];
  const shares = (main: number) => ({
    backendRefs: [
      { name: 'main', port: 80, weight: main },
      { name: 'new', port: 80, weight: 100 - main },
    ],
  });
  const compare = async (main: number) => {
    const to = documents(gateway, service('main'), service('new'), route([shares(main)]));
    const { stdout } = await offline(t, ingresses(...canary), to, '-o', 'json');
    return reportOf(stdout).different.filter(
      ({ request, unexplained }) => unexplained && request.target === '/' && request.scheme === 'http',
    );
  };
  t.deepEqual(await compare(80), []);
  t.not((await compare(90)).length, 0);
});

thorough(test)('every form of the report names what is unexplained, and escapes it', async (t) => {
  const log = 'a.test - - [x] "GET /<script>`|x`</script> HTTP/1.1" 200 5\n';
  const made = folder(t, {
    'from.yaml': ingresses({ paths: { '/': 'one' } }),
    'to.yaml': documents(gateway, service('two'), route([forward('/', 'two')])),
    'access.log': log,
  });
  const paths = [
    '-f',
    join(made, 'from.yaml'),
    '--converted',
    join(made, 'to.yaml'),
    '--requests',
    join(made, 'access.log'),
  ];
  const show = (format: string) => runCommand(['migrate', 'compare', '--offline', ...paths, '-o', format]);
  const html = await show('html');
  t.is(html.code, 1);
  t.false(html.stdout.includes('<script'));
  t.regex(html.stdout, /&#60;script&#62;/);
  t.regex(html.stdout, /default-src 'none'/);
  t.regex(
    (await show('markdown')).stdout,
    /\| `GET http:\/\/a\.test\/<script>'¦x'<\/script>` \| `backend: shop\/one:80 → shop\/two:80`/,
  );
});

const open = 'location / { return 200 "old"; }';

/** Two real servers, which have these blocks of configuration for a.test. */
async function sides(t: ExecutionContext, from: string, to: string) {
  const server = (text: string) => `server { listen $PORT default_server; server_name a.test; ${text} }`;
  const [old, now] = await Promise.all([startNginx(t, server(from)), startNginx(t, server(to))]);
  return [
    '--from',
    `127.0.0.1:${old.port}`,
    '--to',
    `127.0.0.1:${now.port}`,
    '--rate',
    '1000',
    '--timeout',
    '60',
    '--timeout',
    '60',
  ];
}

const har = (...urls: readonly string[]): string =>
  JSON.stringify({
    log: {
      entries: urls.map((url) => {
        const [, method = 'GET', rest = url] = /^([A-Z]+) (.*)$/.exec(url) ?? [];
        const headers = [
          { name: 'Cookie', value: 'secret' },
          { name: 'X-Sent', value: 'yes' },
        ];
        return { request: { method, url: rest, headers } };
      }),
    },
  });

test('two addresses are asked the same, and compared by status, Location, cookies and headers', async (t) => {
  const from = `
    location /same { return 200 "same"; }
    location /moved { return 308 https://a.test/moved; }
    location /cookie { add_header Set-Cookie "id=1; Path=/; HttpOnly"; return 200; }
    location /hsts { add_header Strict-Transport-Security "max-age=1"; return 200; }`;
  const to = `
    location /same { return 200 "other"; }
    location /moved { return 308 https://a.test/moved/; }
    location /cookie { add_header Set-Cookie "id=2; path=/"; return 200; }
    location /hsts { return 200; }`;
  const made = folder(t, {
    'all.har': har(...['same', 'moved', 'cookie', 'hsts', 'same'].map((name) => `http://a.test/${name}`)),
  });
  const addresses = await sides(t, from, to);
  const ask = (...more: readonly string[]) =>
    runCommand(['migrate', 'compare', ...addresses, '--requests', join(made, 'all.har'), '-o', 'json', ...more]);
  const { code, stdout } = await ask();
  t.is(code, 1);
  const { different, asked } = reportOf(stdout);
  t.is(asked, 4);
  t.deepEqual(
    different.map(({ request, differences }) => [
      request.target,
      ...differences.map(({ what, code: known }) => `${what} ${known}`),
    ]),
    [
      ['/moved', 'location trailing-slash'],
      ['/cookie', 'cookie id null'],
      ['/hsts', 'header strict-transport-security null'],
    ],
  );
  const withBody = reportOf((await ask('--with-body')).stdout).different.map(({ request }) => request.target);
  t.true(withBody.includes('/same'));
});

thorough(test)('credentials of a recording are not sent', async (t) => {
  const shown =
    'location / { return 200; add_header X-Ignored 1; add_header Set-Cookie "$http_x_sent$http_cookie=1"; }';
  const made = folder(t, { 'one.har': har('http://a.test/') });
  const addresses = await sides(t, shown, open);
  const { stdout } = await runCommand([
    'migrate',
    'compare',
    ...addresses,
    '--requests',
    join(made, 'one.har'),
    '-o',
    'json',
  ]);
  t.deepEqual(
    reportOf(stdout).different.flatMap(({ differences }) => differences.map(({ what }) => what)),
    ['cookie yes=1'.replace('=1', '')],
  );
});

test('methods that may change something are sent when they and their host are named', async (t) => {
  const made = folder(t, { 'two.har': har('POST http://a.test/', 'GET http://a.test/', 'DELETE http://b.test/') });
  const addresses = await sides(t, open, open);
  const ask = (...more: readonly string[]) =>
    runCommand(['migrate', 'compare', ...addresses, '--requests', join(made, 'two.har'), '-o', 'json', ...more]);
  t.deepEqual(reportOf((await ask()).stdout).notSent, {
    'method POST is not among --methods': 1,
    'method DELETE is not among --methods': 1,
  });
  const named = reportOf((await ask('--methods', 'GET,POST,DELETE', '--unsafe-hosts', 'a.test')).stdout);
  t.is(named.asked, 2);
  t.deepEqual(named.notSent, { 'method DELETE may change something, and b.test is not among --unsafe-hosts': 1 });
});

thorough(test)('a run ends at the first fifty unexplained differences of one kind', async (t) => {
  const urls = Array.from({ length: 200 }, (_, at) => `http://a.test/${at}`);
  const made = folder(t, { 'many.har': har(...urls) });
  const addresses = await sides(t, open, 'location / { return 500; }');
  const { code, stdout } = await runCommand([
    'migrate',
    'compare',
    ...addresses,
    '--requests',
    join(made, 'many.har'),
    '-o',
    'json',
  ]);
  t.is(code, 1);
  const { asked, notSent } = reportOf(stdout);
  t.true(asked >= 50 && asked < 60, String(asked));
  t.is(asked + Object.values(notSent).reduce((sum, count) => sum + count, 0), 200);
});

thorough(test)('a limit of requests holds, and says how many were left out', async (t) => {
  const made = folder(t, { 'some.har': har(...Array.from({ length: 9 }, (_, at) => `http://a.test/${at}`)) });
  const addresses = await sides(t, open, open);
  const { code, stdout } = await runCommand([
    'migrate',
    'compare',
    ...addresses,
    '--requests',
    join(made, 'some.har'),
    '--limit',
    '4',
  ]);
  t.is(code, 0);
  t.regex(stdout, /4 requests: 4 alike, 0 explained, 0 unexplained\n {2}5 not sent: more than 4 in all/);
});

thorough(test)('a redirect to itself is one answer', async (t) => {
  const loop = 'location / { return 302 http://a.test$request_uri; }';
  const made = folder(t, { 'one.har': har('http://a.test/round') });
  const { code, stdout } = await runCommand([
    'migrate',
    'compare',
    ...(await sides(t, loop, loop)),
    '--requests',
    join(made, 'one.har'),
  ]);
  t.is(code, 0);
  t.regex(stdout, /^1 request: 1 alike/);
});

thorough(test)('an address that accepts connections and says nothing is exit code 2', async (t) => {
  const silent = createTcpServer(() => undefined).listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const { port: old } = await startNginx(t, `server { listen $PORT; ${open} }`);
  const made = folder(t, { 'many.har': har(...Array.from({ length: 100 }, (_, at) => `http://a.test/${at}`)) });
  const addresses = ['--from', `127.0.0.1:${old}`, '--to', `127.0.0.1:${port}`, '--rate', '1000', '--timeout', '1'];
  const { code, stdout, stderr } = await runCommand([
    'migrate',
    'compare',
    ...addresses,
    '--requests',
    join(made, 'many.har'),
  ]);
  t.is(code, 2);
  t.regex(stderr, /--to does not answer: none in 1 s/);
  t.regex(stdout, /not sent: --to does not answer/);
});

test('what neither side answers is not alike', async (t) => {
  const made = folder(t, { 'two.har': har('http://a.test/', 'https://a.test/') });
  const [, from = '', , to = ''] = await sides(t, open, open);
  const { code, stdout } = await runCommand([
    ...['migrate', 'compare', '--from', `${from}:1`, '--to', `${to}:1`, '--requests', join(made, 'two.har')],
    ...['--timeout', '60'],
  ]);
  t.is(code, 0);
  t.regex(stdout, /^2 requests: 1 alike, 0 explained, 0 unexplained, 1 answered by neither/);
});

thorough(test)('a recording that is too large, or none, is named and not read', async (t) => {
  const made = folder(t, { 'large.har': '', 'other.har': '{"log": {}}', 'text.har': 'no JSON' });
  truncateSync(join(made, 'large.har'), 65 * 2 ** 20);
  const ask = (name: string) =>
    runCommand(['migrate', 'compare', '--from', '127.0.0.1:1', '--to', '127.0.0.1:2', '--requests', join(made, name)]);
  const all = await Promise.all(['large.har', 'other.har', 'text.har', 'absent.har'].map(ask));
  t.deepEqual(
    all.map(({ code }) => code),
    [2, 2, 2, 2],
  );
  t.regex(all[0]?.stderr ?? '', /at most 67108864 are read: record less/);
  t.regex(all[1]?.stderr ?? '', /is no HAR: log\.entries/);
  t.regex(all[2]?.stderr ?? '', /is not JSON/);
  t.regex(all[3]?.stderr ?? '', /does not exist: name an access log or a HAR file/);
});

thorough(test)('command lines that make no sense are exit code 2, with the next step', async (t) => {
  const made = folder(t, { 'from.yaml': ingresses({ paths: { '/': 'app' } }), 'none.yaml': documents(service('app')) });
  const cases: readonly (readonly [args: readonly string[], words: RegExp])[] = [
    [['--offline'], /name the files with --converted/],
    [['--from', 'a'], /name both sides with --from and --to/],
    [['--from', 'a:80', '--to', 'a', '-f', made], /same address/],
    [['--from', 'a', '--to', 'b', '--kubeconfig', join(made, 'none')], /cannot read the kubeconfig/],
    [['--from', 'http://a', '--to', 'b', '-f', made], /is not HOST\[:HTTP_PORT/],
    [['--from', 'a', '--to', 'b', '-f', join(made, 'none.yaml')], /no Ingress in/],
    [['--offline', '-f', join(made, 'from.yaml'), '--converted', join(made, 'none.yaml')], /no Gateway of our classes/],
    [['--offline', '-f', made, '--converted', made, '--to', 'b'], /--offline asks no address/],
  ];
  for (const [args, words] of cases) {
    const { code, stderr } = await runCommand(['migrate', 'compare', ...args]);
    t.is(code, 2, args.join(' '));
    t.regex(stderr, words);
  }
});

test('what convert writes answers alike, but for what is explained', async (t) => {
  const made = folder(t, {
    'from.yaml': ingresses(
      { tls: ['a.test'], paths: { '/shop': 'shop', '/cart/': 'cart', 'Exact /exact': 'exact' } },
      {
        name: 'api',
        host: 'b.test',
        annotations: { 'rewrite-target': '/$2' },
        paths: { 'ImplementationSpecific /api(/|$)(.*)': 'api' },
      },
      {
        name: 'groups',
        host: 'f.test',
        annotations: { 'rewrite-target': '/new$2/$1' },
        paths: { 'ImplementationSpecific /old': 'old', 'ImplementationSpecific /one/(.*)': 'one' },
      },
      { name: 'main', host: 'c.test', paths: { '/': 'main' } },
      {
        name: 'new',
        host: 'c.test',
        annotations: { canary: 'true', 'canary-by-header': 'x-new', 'canary-weight': '20' },
        paths: { '/': 'new' },
      },
      { name: 'wild', host: '*.wild.test', paths: { '/': 'wild' } },
      {
        name: 'moved',
        host: 'd.test',
        annotations: { 'permanent-redirect': 'https://e.test/x' },
        paths: { '/': 'old' },
      },
    ),
  });
  const from = join(made, 'from.yaml');
  const out = join(made, 'out');
  const converted = await runCommand(['migrate', 'convert', '-f', from, '--gateway', 'infra/edge', '--out', out]);
  t.not(converted.code, 2, converted.stderr);
  const { code, stdout } = await runCommand(['migrate', 'compare', '--offline', '-f', from, '--converted', out]);
  t.is(code, 0, stdout);
});

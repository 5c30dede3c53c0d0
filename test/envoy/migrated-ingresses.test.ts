import type { ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { parseAllDocuments } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { convert, IngressNginxModel, judge } from '../../src/ingress/index.ts';
import { testCertificates } from '../support/certificates.ts';
import { type ClientCertificate, createClientAuthority } from '../support/client-certificates.ts';
import { type HttpAnswer, send, serviceObjects, startBackend } from '../support/http.ts';
import { controller, ingress, worldOf } from '../support/ingress-world.ts';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { askTls } from '../support/tls-ask.ts';
import { until, untilFits } from '../support/until.ts';

/** Converted Ingresses, served by a real Envoy, beside what the model says of ingress-nginx. */

const gatewayClass = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: { controllerName: 'gatewright.dev/gateway-controller' },
};

interface Answered {
  readonly status: number;
  readonly location: string | undefined;
  /** `SERVICE PATH` of the backend that answered. */
  readonly backend: string | undefined;
}

/** Serves what some Ingresses are converted to; Services `web`, `api` and `new` of `shop` say which they are. */
async function startMigrated(t: ExecutionContext, ...objects: readonly object[]) {
  const names = ['web', 'api', 'new'];
  const held: ServerResponse[] = [];
  const backends = await Promise.all(
    names.map((name) =>
      startBackend(t, (request, response) => {
        if (request.url === '/held') held.push(response);
        else if (request.url?.startsWith('/fail/')) response.writeHead(Number(request.url.slice(6))).end('failed');
        else response.setHeader('server', 'backend').end(`${name} ${request.url} ${request.headers.host}`);
      }),
    ),
  );
  const services = names.flatMap((name, index) => serviceObjects(name, [backends[index]?.port ?? 0]).map(inShop));
  const tcpPort = await freePort();
  const tcp = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'tcp', namespace: 'ingress-nginx' },
    data: { [tcpPort]: 'shop/api:80' },
  };
  const flags = ['--tcp-services-configmap=ingress-nginx/tcp'];
  const world = worldOf(...controller({}, flags), tcp, ...services, ...objects);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const gateway = { namespace: 'default', name: 'edge' };
  const { files } = convert(judge(world), {
    gateway,
    gatewayClass: 'gatewright',
    httpPort,
    httpsPort,
    includeDead: false,
    without: new Set(),
  });
  const parsed = [...files.values()].flatMap((text) =>
    parseAllDocuments(text).map((document) => document.toJS() as object),
  );
  const [{ certificate, key }] = testCertificates;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'web-tls', namespace: 'shop' },
    stringData: { 'tls.crt': certificate, 'tls.key': key },
  };
  const run = await startStandalone({
    'gateway.yaml': [gatewayClass, ...parsed],
    'services.yaml': [...services, secret],
  });
  t.teardown(run.stop);
  await untilFits('all of it to be applied', async () => isCurrent(run), Boolean);
  const model = new IngressNginxModel(world);
  return {
    backends,
    /** Answers to `/held`, which the test ends. */
    held,
    httpPort,
    httpsPort,
    tcpPort,
    model,
    /** Takes all endpoints of a Service away. */
    silence: (name: string) =>
      run.write('services.yaml', ...services.filter((object) => !isSliceOf(object, name)), secret),
    /** What both answer to one request. */
    async both(scheme: 'http' | 'https', host: string, target: string, headers: Readonly<Record<string, string>> = {}) {
      const answer =
        scheme === 'http'
          ? await send(httpPort, { host, path: target, headers })
          : await askTls(httpsPort, { host, path: target, headers });
      const said = model.answer({ method: 'GET', scheme, host, target, headers: Object.entries(headers) });
      const { forwarded } = said;
      const expected: Answered = {
        status: said.status ?? 200,
        location: said.location,
        backend: forwarded && `${forwarded.backends[0]?.service} ${forwarded.target} ${forwarded.host}`,
      };
      return { ours: answered(answer, host), nginx: expected, headers: answer.headers, said };
    },
  };
}

const isSliceOf = (object: object, name: string): boolean => {
  const { kind, metadata } = object as KubernetesObject;
  return kind === 'EndpointSlice' && metadata.labels?.['kubernetes.io/service-name'] === name;
};

const inShop = (object: object): object => {
  const { metadata } = object as { readonly metadata: object };
  return { ...object, metadata: { ...metadata, namespace: 'shop' } };
};

function answered({ status, headers, body }: HttpAnswer, host: string): Answered {
  const location = headers.location?.replace(/^(https?:\/\/[^/:]+):\d+/, '$1').replace(/^(?=\/)/, `http://${host}`);
  return { status, location, backend: status === 200 ? body : undefined };
}

const other = (
  name: string,
  host: string,
  path: string,
  service: string,
  annotations: Readonly<Record<string, string>> = {},
) => ingress(name, annotations, { host, paths: [path], service });

test('paths, expressions and rewrites lead where nginx leads them', async (t) => {
  const world = await startMigrated(
    t,
    other('root', 'a.test', '/', 'web'),
    other('api', 'a.test', '/api', 'api'),
    other('below', 'a.test', '/bar/', 'api'),
    ingress('exact', {}, { host: 'a.test', paths: ['/api/one'], type: 'Exact', service: 'new' }),
    other('app', 'r.test', '/app(/|$)(.*)', 'api', { 'rewrite-target': '/$2', 'upstream-vhost': 'in.test' }),
    ingress('plain', {}, { host: 'r.test', paths: ['/plain'], type: 'Exact', service: 'web' }),
    other('full', 'f.test', '/old', 'api', { 'rewrite-target': '/new' }),
  );
  for (const [host, targets] of [
    [
      'a.test',
      [
        '/',
        '/x',
        '/api',
        '/api/',
        '/api/x?y=/api',
        '/apix',
        '/API',
        '/api/one',
        '/api/one/',
        '/bar',
        '/bar/',
        '/bar/x',
        '/barx',
      ],
    ],
    ['r.test', ['/app', '/app/', '/app/x/y?z=1', '/APP/x', '/appx', '/plain', '/PLAIN', '/plainer', '/']],
    ['f.test', ['/old', '/old/x?a=b', '/older', '/OLD']],
    ['unknown.test', ['/']],
  ] as const)
    for (const target of targets) {
      const { ours, nginx, said } = await world.both('http', host, target);
      // One of the listed differences: here paths stay as clients write them, and so does the port.
      t.deepEqual(ours, nginx, `${host}${target}: ${said.rule}`);
    }
});

thorough(test)('hosts with a certificate are sent to HTTPS, and HSTS is as before', async (t) => {
  const tls = { tls: [{ hosts: ['s.test'], secretName: 'web-tls' }] };
  const world = await startMigrated(
    t,
    ingress('secure', {}, { host: 's.test', more: tls }),
    other('open', 's.test', '/open', 'api', { 'ssl-redirect': 'false' }),
    other('challenge', 's.test', '/.well-known/acme-challenge/token', 'new'),
    other('moved', 'm.test', '/', 'web', { 'permanent-redirect': 'https://new.example.com/a' }),
    other('home', 'h.test', '/', 'web', { 'app-root': '/home' }),
  );
  for (const [scheme, host, target] of [
    ['http', 's.test', '/x'],
    ['http', 's.test', '/open'],
    ['http', 's.test', '/.well-known/acme-challenge/token'],
    ['https', 's.test', '/x'],
    ['https', 's.test', '/open'],
    ['http', 'm.test', '/x?y=1'],
    ['http', 'h.test', '/?y=1'],
    ['http', 'h.test', '/x'],
  ] as const) {
    const { ours, nginx, headers, said } = await world.both(scheme, host, target);
    t.deepEqual(ours, nginx, `${scheme}://${host}${target}: ${said.rule}`);
    if (scheme === 'https') t.is(headers['strict-transport-security'], said.headers['strict-transport-security']);
  }
});

thorough(test)('a default backend answers when the Service of a path has no endpoints, and not before', async (t) => {
  const world = await startMigrated(
    t,
    other('covered', 'd.test', '/', 'web', { 'default-backend': 'new' }),
    other('bare', 'b.test', '/', 'api'),
  );
  const bodyOf = async (host: string) => (await send(world.httpPort, { host, path: '/x?y=1' })).body;
  t.is(await bodyOf('d.test'), 'web /x?y=1 d.test');
  world.silence('web');
  await untilFits(
    'the default backend',
    () => bodyOf('d.test'),
    (body) => body === 'new /x?y=1 d.test',
  );
  t.is(await bodyOf('b.test'), 'api /x?y=1 b.test');
});

thorough(test)('errors have the pages of the default backend, with its status', async (t) => {
  const world = await startMigrated(
    t,
    other('pages', 'd.test', '/', 'web', { 'default-backend': 'new', 'custom-http-errors': '404,503' }),
    other('closed', 'd.test', '/closed', 'web', {
      'default-backend': 'new',
      'custom-http-errors': '403',
      'whitelist-source-range': '10.0.0.0/8',
    }),
    other('bare', 'b.test', '/', 'web'),
  );
  const ask = async (host: string, path: string) => {
    const { status, body } = await send(world.httpPort, { host, path });
    return [status, body] as const;
  };
  t.deepEqual(await ask('d.test', '/fail/404'), [200, 'new / d.test']);
  t.deepEqual(await ask('d.test', '/fail/500'), [500, 'failed']);
  t.deepEqual(await ask('b.test', '/fail/404'), [404, 'failed']);
  t.deepEqual(await ask('d.test', '/closed'), [200, 'new / d.test']);
  const [first, second] = world.backends[2]?.seen ?? [];
  t.like(first, {
    'x-code': '404',
    'x-original-uri': '/fail/404',
    'x-namespace': 'shop',
    'x-ingress-name': 'pages',
    'x-service-name': 'web',
    'x-service-port': '80',
  });
  t.like(second, { 'x-code': '403', 'x-ingress-name': 'closed' });
});

test('a canary gets the requests that it gets in nginx', async (t) => {
  const world = await startMigrated(
    t,
    other('main', 'c.test', '/', 'web'),
    other('beta', 'c.test', '/', 'new', { canary: 'true', 'canary-by-header': 'x-beta', 'canary-by-cookie': 'beta' }),
  );
  const headers: readonly Readonly<Record<string, string>>[] = [
    {},
    { 'x-beta': 'always' },
    { 'x-beta': 'never' },
    { 'x-beta': 'never', cookie: 'beta=always' },
    { 'x-beta': 'perhaps', cookie: 'a=b; beta=always' },
    { cookie: 'beta=never' },
    { cookie: 'alphabeta=always' },
  ];
  for (const sent of headers) {
    const { ours, said } = await world.both('http', 'c.test', '/', sent);
    const chosen = said.forwarded?.backends.find(({ share }) => share === 1)?.service;
    t.is(ours.backend?.split(' ')[0], chosen, JSON.stringify(sent));
  }
});

test('who may not come in before does not come in, also where a protection has no equivalent here', async (t) => {
  const world = await startMigrated(
    t,
    other('open', 'p.test', '/', 'web'),
    other('addresses', 'p.test', '/in', 'api', { 'whitelist-source-range': '10.0.0.0/8' }),
    other('here', 'p.test', '/here', 'api', { 'whitelist-source-range': '127.0.0.0/8, 10.1.2.3/8' }),
    other('asked', 'p.test', '/asked', 'web', { 'auth-url': 'https://auth.elsewhere.example.com/check/$arg_x' }),
    other('regex', 'q.test', '/(?=secret).*', 'api', { 'use-regex': 'true', 'whitelist-source-range': '10.0.0.0/8' }),
    other('large', 'l.test', '/', 'web', { 'proxy-body-size': '1k' }),
  );
  const statusOf = async (host: string, path: string, body?: string) =>
    (await send(world.httpPort, { host, path, ...(body !== undefined && { method: 'POST', body }) })).status;
  t.is(await statusOf('p.test', '/'), 200);
  t.is(await statusOf('p.test', '/in/x'), 403);
  t.is(await statusOf('p.test', '/here/x'), 200);
  for (const path of ['/asked', '/asked/', '/asked/x', '/%61sked', '/x/../asked', '//asked', '/asked%2Fx'])
    t.is(await statusOf('p.test', path), 503, path);
  for (const path of ['/secret', '/SECRET/x']) t.not(await statusOf('q.test', path), 200, path);
  t.is(await statusOf('l.test', '/', 'x'.repeat(1_000)), 200);
  t.is(await statusOf('l.test', '/', 'x'.repeat(2_000)), 413);
  t.false(world.backends.some(({ requests }) => requests.some((path) => /asked|secret|^\/in/i.test(path))));
});

thorough(test)(
  'a server that an auth-url names is asked as nginx asks it, and not about addresses that are enough',
  async (t) => {
    const login = { 'auth-url': 'http://api.shop.svc.cluster.local/oauth2/auth?group=staff' };
    const world = await startMigrated(
      t,
      other('guarded', 'g.test', '/', 'web', login),
      other('near', 'n.test', '/', 'web', { ...login, satisfy: 'any', 'whitelist-source-range': '127.0.0.0/8' }),
      other('far', 'w.test', '/', 'web', { ...login, satisfy: 'any', 'whitelist-source-range': '10.0.0.0/8' }),
    );
    const [web, server] = world.backends;
    t.is((await send(world.httpPort, { host: 'g.test', path: '/a?b=c', method: 'POST', body: 'text' })).status, 200);
    t.deepEqual([server?.requests, web?.requests], [['/oauth2/auth?group=staff'], ['/a?b=c']]);
    t.like(server?.seen[0], {
      'x-original-method': 'POST',
      'x-original-url': 'http://g.test/a?b=c',
      'x-auth-request-redirect': '/a?b=c',
      'x-sent-from': 'nginx-ingress-controller',
      'x-real-ip': '127.0.0.1',
    });
    t.is((await send(world.httpPort, { host: 'n.test' })).status, 200);
    t.is(server?.requests.length, 1, 'the address is enough');
    t.is((await send(world.httpPort, { host: 'w.test' })).status, 200);
    t.is(server?.requests.length, 2);
  },
);

thorough(test)(
  'backends learn of the client what nginx says of it, and answers lose what nginx takes away',
  async (t) => {
    const world = await startMigrated(t, other('seen', 'v.test', '/', 'web'));
    const sent = {
      'x-forwarded-for': '192.0.2.1',
      'x-real-ip': '192.0.2.2',
      'x-forwarded-host': 'evil.test',
      'x-request-id': 'mine',
      x_odd: 'dropped',
    };
    const { headers } = await send(world.httpPort, { host: 'V.test:8080', headers: sent });
    t.is(headers.server, undefined);
    const seen = world.backends[0]?.seen.at(-1) ?? {};
    t.like(seen, { 'x-forwarded-host': 'V.test:8080', 'x-original-forwarded-for': '192.0.2.1', x_odd: undefined });
    const { forwarded } = world.model.answer({
      ...{ method: 'GET', scheme: 'http', host: 'V.test:8080', target: '/', from: '127.0.0.1' },
      headers: Object.entries(sent),
    });
    // The port of the controller is 80.
    t.like(seen, { ...forwarded?.headers, 'x-forwarded-port': String(world.httpPort) });
  },
);

thorough(test)('directives of snippets act as they did', async (t) => {
  const critical = controller({ 'annotations-risk-level': 'Critical' });
  const world = await startMigrated(
    t,
    ...critical,
    other('values', 'w.test', '/', 'web', {
      'configuration-snippet':
        'proxy_set_header X-Client "$remote_addr/$http_x_old";\nmore_set_headers "X-A: b";\nproxy_set_header X-Team shop;',
    }),
    other('moved', 'w.test', '/moved', 'web', { 'configuration-snippet': 'return 301 https://b.test$request_uri;' }),
    other('checked', 'w.test', '/checked', 'web', {
      'configuration-snippet':
        'if ($http_x_key !~ "^k[0-9]+$") { return 401; }\nif ($http_user_agent ~* "bot$") { return 403; }\nif ($request_method = PUT) { return 405; }\nif ($http_x_old) { return 410; }',
    }),
    other('inner', 'w.test', '/inner', 'web', { 'configuration-snippet': 'rewrite /v([0-9])/(.*)$ /$2/$1 break;' }),
    other('sent', 'w.test', '/sent', 'web', {
      'configuration-snippet': 'rewrite ^/(.*)$ https://b.test/x/$1 permanent;',
    }),
    other('tea', 'w.test', '/tea', 'web', { 'configuration-snippet': 'return 418 teapot;' }),
    other('near', 'w.test', '/near', 'web', {
      'configuration-snippet': 'deny 10.0.0.0/8;\nallow 127.0.0.0/8;\ndeny all;',
    }),
    other('far', 'w.test', '/far', 'web', { 'configuration-snippet': 'allow 10.0.0.0/8; deny all;' }),
  );
  const { headers } = await send(world.httpPort, { host: 'w.test', headers: { 'x-old': 'o', 'x-client': 'mine' } });
  t.is(headers['x-a'], 'b');
  t.like(world.backends[0]?.seen.at(-1), { 'x-client': '127.0.0.1/o', 'x-team': 'shop' });
  const moved = await send(world.httpPort, { host: 'w.test', path: '/moved/x?y=1' });
  t.is(moved.status, 301);
  t.regex(moved.headers.location ?? '', /^https:\/\/b\.test(?::\d+)?\/moved\/x\?y=1$/);
  t.like(await send(world.httpPort, { host: 'w.test', path: '/tea' }), { status: 418, body: 'teapot' });
  for (const [sent, method] of [
    [{ 'x-key': 'k1' }],
    [{}],
    [{ 'x-key': '' }],
    [{ 'x-key': 'xk1' }],
    [{ 'x-key': 'k1', 'user-agent': 'a BOT' }],
    [{ 'x-key': 'k1', 'user-agent': 'curl' }],
    [{ 'x-key': 'k1' }, 'PUT'],
    [{ 'x-key': 'k1', 'x-old': '0' }],
    [{ 'x-key': 'k1', 'x-old': 'a' }],
  ] as const) {
    const { status } = await send(world.httpPort, { host: 'w.test', path: '/checked/x', headers: sent, method });
    const said = world.model.answer({
      ...{ method: method ?? 'GET', scheme: 'http', host: 'w.test', target: '/checked/x' },
      headers: Object.entries(sent),
    });
    t.is(status === 403, said.rule === 'snippet', JSON.stringify([sent, method, said.status]));
    t.true(status === 403 || status === 200);
  }
  for (const target of ['/inner/v1/a/b?c=d', '/inner/x', '/INNER/v1/', '/inner/v12/a', '/inner/v3/']) {
    const { ours, nginx } = await world.both('http', 'w.test', target);
    t.deepEqual(ours, nginx, target);
  }
  const elsewhere = await send(world.httpPort, { host: 'w.test', path: '/sent/a?y=1' });
  t.is(elsewhere.status, 301);
  t.regex(elsewhere.headers.location ?? '', /^https:\/\/b\.test(?::\d+)?\/x\/sent\/a\?y=1$/);
  t.is((await send(world.httpPort, { host: 'w.test', path: '/near/x' })).status, 200);
  t.is((await send(world.httpPort, { host: 'w.test', path: '/far/x' })).status, 403);
});

thorough(test)('hosts ask for the certificates that nginx asks for, and other hosts for none', async (t) => {
  const [authority, other] = [await createClientAuthority('clients'), await createClientAuthority('others')];
  const ca = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ca', namespace: 'shop' } };
  const asks = { 'auth-tls-secret': 'shop/ca' };
  const tlsOf = (host: string) => ({ tls: [{ hosts: [host], secretName: 'web-tls' }] });
  const world = await startMigrated(
    t,
    { ...ca, stringData: { 'ca.crt': authority.certificatePem } },
    ingress('on', asks, { host: 'on.test', more: tlsOf('on.test') }),
    ingress('neighbour', {}, { host: 'on.test', paths: ['/api'], service: 'api' }),
    ingress('optional', { ...asks, 'auth-tls-verify-client': 'optional' }, { host: 'o.test', more: tlsOf('o.test') }),
    ingress('open', {}, { host: 'open.test', more: tlsOf('open.test') }),
  );
  const [good, foreign] = [await authority.issue(), await other.issue()];
  const statusOf = async (host: string, path: string, certificate?: ClientCertificate) =>
    (await askTls(world.httpsPort, { host, path, certificate })).status;
  for (const path of ['/', '/api']) {
    t.is(await statusOf('on.test', path, good), 200, path);
    t.is(await statusOf('on.test', path), 403, path);
    t.is(await statusOf('on.test', path, foreign), 403, path);
  }
  for (const host of ['o.test', 'open.test']) t.is(await statusOf(host, '/'), 200, host);
  t.is(world.model.answer({ method: 'GET', scheme: 'https', host: 'on.test', target: '/', headers: [] }).status, 400);
});

thorough(test)('a client has no more requests under way than limit-connections says', async (t) => {
  const world = await startMigrated(t, other('few', 'few.test', '/', 'web', { 'limit-connections': '1' }));
  const ask = async (path: string) => (await send(world.httpPort, { host: 'few.test', path })).status;
  const first = ask('/held');
  await until('the first request to be at the backend', () => world.held.length === 1);
  t.is(await ask('/'), 503);
  world.held[0]?.end();
  t.is(await first, 200);
  await untilFits(
    'its place to be free',
    () => ask('/'),
    (status) => status === 200,
  );
});

thorough(test)('a TCP service gets the bytes of its port', async (t) => {
  const world = await startMigrated(t, other('root', 'a.test', '/', 'web'));
  t.is((await send(world.tcpPort, { host: 'any.test', path: '/x' })).body, 'api /x any.test');
});

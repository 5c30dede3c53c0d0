import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { freePort } from '../../scripts/free-port.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { IngressNginxModel } from '../../src/ingress/index.ts';
import { testCertificates } from '../support/certificates.ts';
import { type HttpAnswer, send, serviceObjects, startBackend } from '../support/http.ts';
import { controller, worldOf } from '../support/ingress-world.ts';
import { edgeGateway, ownClass, servedIngress } from '../support/native-ingresses.ts';
import { thorough } from '../support/repetitions.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { askTls } from '../support/tls-ask.ts';
import { until, untilFits } from '../support/until.ts';

/** Ingresses that the running program serves, asked through a real Envoy, beside what the model says of ingress-nginx. */

const names = ['web', 'api', 'new'] as const;
const gatewayClass = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: { controllerName: 'gatewright.dev/gateway-controller' },
};

/** Serves Ingresses, which files may replace; Services `web`, `api` and `new` of `shop` say which they are. */
async function startServed(t: ExecutionContext, ...ingresses: readonly KubernetesObject[]) {
  const backends = await Promise.all(
    names.map((name) =>
      startBackend(t, (request, response) => response.end(`${name} ${request.url} ${request.headers.host}`)),
    ),
  );
  const services = names.flatMap((name, at) => serviceObjects(name, [backends[at]?.port ?? 0]).map(inShop));
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const gateway = edgeGateway();
  const { spec } = gateway as unknown as { readonly spec: { readonly listeners: readonly object[] } };
  const [certificate] = testCertificates;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'web-tls', namespace: 'shop' },
    stringData: { 'tls.crt': certificate.certificate, 'tls.key': certificate.key },
  };
  const ofEdge = { ...secret, metadata: { name: 'default-tls', namespace: 'infra' } };
  const all = { namespaces: { from: 'All' } };
  const https = {
    name: 'https',
    port: httpsPort,
    protocol: 'HTTPS',
    tls: { certificateRefs: [{ name: 'default-tls' }] },
    allowedRoutes: all,
  };
  const listeners = [...spec.listeners.map((listener) => ({ ...listener, port: httpPort })), https];
  const run = await startStandalone(
    {
      'gateway.yaml': [gatewayClass, ownClass(), { ...gateway, spec: { ...spec, listeners } }],
      'services.yaml': [...services, secret, ofEdge],
      ...Object.fromEntries(ingresses.map((ingress, at) => [`ingress-${at}.yaml`, [ingress]])),
    },
    { config: { ingress: { ...loadConfig(undefined, {}).ingress, enabled: true } } },
  );
  t.teardown(run.stop);
  await untilFits('all of it to be applied', async () => isCurrent(run), Boolean);
  return { run, backends, services, httpPort, httpsPort };
}

const inShop = (object: object): object => {
  const { metadata } = object as { readonly metadata: object };
  return { ...object, metadata: { ...metadata, namespace: 'shop' } };
};

type Served = Awaited<ReturnType<typeof startServed>>;

/** What ingress-nginx answers for the same Ingresses. */
function modelOf({ services }: Served, ...ingresses: readonly KubernetesObject[]) {
  const ofNginx = ingresses.map((ingress) => ({
    ...ingress,
    spec: { ...(ingress.spec as object), ingressClassName: 'nginx' },
  }));
  return new IngressNginxModel(worldOf(...controller({ hsts: 'false' }), ...services, ...ofNginx));
}

async function compare(
  t: ExecutionContext,
  served: Served,
  model: IngressNginxModel,
  asked: { readonly scheme?: 'http' | 'https'; readonly host: string; readonly target: string },
  of = '',
) {
  const { scheme = 'http', host, target } = asked;
  const [answer, said] = [
    scheme === 'http'
      ? await send(served.httpPort, { host, path: target })
      : await askTls(served.httpsPort, { host, path: target }),
    model.answer({ method: 'GET', scheme, host, target, headers: [] }),
  ];
  const { forwarded } = said;
  const expected = {
    status: said.status ?? 200,
    location: said.location,
    backend: forwarded && `${forwarded.backends[0]?.service} ${forwarded.target} ${forwarded.host}`,
  };
  t.deepEqual(answered(answer, host), expected, `${scheme}://${host}${target}: ${said.rule} ${of}`);
}

function answered({ status, headers, body }: HttpAnswer, host: string) {
  const location = headers.location?.replace(/^(https?:\/\/[^/:]+):\d+/, '$1').replace(/^(?=\/)/, `http://${host}`);
  return { status, location, backend: status === 200 ? body : undefined };
}

const targets = ['/', '/x', '/a', '/a/', '/a/x', '/ab', '/A', '/a/b', '/a/b/', '/a/b/c', '/b', '/b/x?y=/a'];

test('paths, hosts, default backends and rewrites are answered as ingress-nginx answers them', async (t) => {
  const ingresses = [
    servedIngress('root', { service: 'web' }),
    servedIngress('a', { paths: ['/a'], service: 'api' }),
    servedIngress('exact', { paths: ['/a/b'], type: 'Exact', service: 'new' }),
    servedIngress('any', { paths: ['/b'], type: 'ImplementationSpecific', service: 'api' }),
    servedIngress('wild', { host: '*.w.test', service: 'api', port: { name: 'http' } }),
    servedIngress('bare', { host: 'w.test', service: 'web', paths: ['/only'] }),
    servedIngress('fallback', {
      host: 'd.test',
      paths: ['/a'],
      service: 'api',
      more: { defaultBackend: { service: { name: 'new', port: { number: 80 } } } },
    }),
    servedIngress('rewritten', {
      host: 'r.test',
      paths: ['/app(/|$)(.*)'],
      service: 'api',
      annotations: { 'rewrite-target': '/$2', 'upstream-vhost': 'in.test' },
    }),
    servedIngress('missing', { host: 'm.test', service: 'absent' }),
  ];
  const served = await startServed(t, ...ingresses);
  const model = modelOf(served, ...ingresses);
  for (const host of ['a.test', 'd.test'])
    for (const target of targets) await compare(t, served, model, { host, target });
  for (const host of ['x.w.test', 'X.w.test', 'y.x.w.test', 'unknown.test', 'm.test', 'a.test:8080'])
    await compare(t, served, model, { host, target: '/' });
  for (const target of ['/app', '/app/x?y=1', '/APP/x', '/other'])
    await compare(t, served, model, { host: 'r.test', target });
});

thorough(test)('a path with a slash at its end takes the path without it too, as Kubernetes has it', async (t) => {
  const served = await startServed(t, servedIngress('below', { paths: ['/bar/'], service: 'api' }));
  const statusOf = async (path: string) => (await send(served.httpPort, { host: 'a.test', path })).status;
  t.deepEqual(await Promise.all(['/bar', '/bar/', '/bar/x', '/barx', '/'].map(statusOf)), [200, 200, 200, 404, 404]);
});

thorough(test)('an Ingress without rules takes all hosts that no other has', async (t) => {
  const everything = servedIngress('everything', {
    more: { rules: [], defaultBackend: { service: { name: 'new', port: { number: 80 } } } },
  });
  const served = await startServed(t, servedIngress('web', { paths: ['/a'] }), everything);
  t.is((await send(served.httpPort, { host: 'unknown.test', path: '/x' })).body, 'new /x unknown.test');
  t.is((await send(served.httpPort, { host: 'a.test', path: '/a' })).body, 'web /a a.test');
});

test('a host with a certificate is sent to HTTPS, but not the question of an authority for a new one', async (t) => {
  const tls = [{ hosts: ['a.example.com'], secretName: 'web-tls' }];
  const ingresses = [
    servedIngress('secure', { host: 'a.example.com', more: { tls } }),
    servedIngress('solver', {
      host: 'a.example.com',
      paths: ['/.well-known/acme-challenge/token'],
      type: 'ImplementationSpecific',
      service: 'new',
    }),
    servedIngress('plain', { host: 'plain.test', service: 'api' }),
  ];
  const served = await startServed(t, ...ingresses);
  const model = modelOf(served, ...ingresses);
  for (const [scheme, host, target] of [
    ['http', 'a.example.com', '/x?y=1'],
    ['http', 'a.example.com', '/.well-known/acme-challenge/token'],
    ['https', 'a.example.com', '/x'],
    ['http', 'plain.test', '/x'],
    ['https', 'plain.test', '/x'],
  ] as const)
    await compare(t, served, model, { scheme, host, target });
});

test('Ingresses come, change and go while others are served', async (t) => {
  const served = await startServed(t, servedIngress('web'), servedIngress('api', { paths: ['/api'], service: 'api' }));
  const { run, httpPort } = served;
  const bodyOf = async (path: string) => (await send(httpPort, { host: 'a.test', path })).body;
  t.is(await bodyOf('/api/x'), 'api /api/x a.test');
  run.write('ingress-1.yaml', servedIngress('api', { paths: ['/api'], service: 'new' }));
  await untilFits(
    'the other Service',
    () => bodyOf('/api/x'),
    (body) => body === 'new /api/x a.test',
  );
  run.remove('ingress-1.yaml');
  await untilFits(
    'the path to be gone',
    () => bodyOf('/api/x'),
    (body) => body === 'web /api/x a.test',
  );
  t.is(await bodyOf('/'), 'web / a.test');
  // What cannot be served says so in the log, where there is no cluster with Events.
  run.write(
    'ingress-1.yaml',
    servedIngress('closed', { paths: ['/api'], annotations: { 'auth-type': 'digest', 'auth-secret': 'x' } }),
  );
  await untilFits(
    'the path to be closed',
    () => send(httpPort, { host: 'a.test', path: '/api' }),
    ({ status }) => status === 503,
  );
  await until('the log to say so', () =>
    run.log.some(({ code, name }) => code === 'ingress_not_served' && name === 'closed'),
  );
  t.is(await bodyOf('/'), 'web / a.test');
});

test('who may not come in does not', async (t) => {
  const served = await startServed(
    t,
    servedIngress('open'),
    servedIngress('in', { paths: ['/in'], service: 'api', annotations: { 'whitelist-source-range': '10.0.0.0/8' } }),
    servedIngress('here', {
      paths: ['/here'],
      service: 'api',
      annotations: { 'whitelist-source-range': '127.0.0.0/8' },
    }),
    servedIngress('asked', { paths: ['/asked'], annotations: { 'auth-url': 'https://auth.elsewhere.example.com/x' } }),
  );
  const statusOf = async (path: string) => (await send(served.httpPort, { host: 'a.test', path })).status;
  t.deepEqual(await Promise.all(['/', '/in', '/in/x', '/here/x', '/asked'].map(statusOf)), [200, 403, 403, 200, 503]);
  for (const path of ['/asked/x', '/%61sked', '/x/../asked', '//asked', '/asked%2Fx', '/%69n', '//in/x'])
    t.not(await statusOf(path), 200, path);
});

type Parts = NonNullable<Parameters<typeof servedIngress>[1]> & { readonly paths: readonly string[] };

const any: fc.Arbitrary<Parts> = fc.record({
  host: fc.constantFrom('a.test', 'b.test', '*.test'),
  paths: fc.uniqueArray(fc.constantFrom('/', '/a', '/ab', '/a/b', '/a/b/c'), {
    minLength: 1,
    maxLength: 3,
  }),
  type: fc.constantFrom('Exact', 'Prefix', 'ImplementationSpecific'),
  service: fc.constantFrom(...names),
  annotations: fc.constantFrom<Readonly<Record<string, string>>[]>(
    {},
    {},
    { 'use-regex': 'true' },
    { 'rewrite-target': '/new' },
  ),
});

/**
 * Each path of a host once, and `/` with all below it. Where expressions of one length meet, nginx goes by their text, and an exact `/` that becomes
 * one is never reached.
 */
function withoutRivals(world: readonly Parts[]): readonly Parts[] {
  const seen = new Set<string>();
  return world.flatMap((parts) => {
    const isNew = (path: string) => seen.size !== seen.add(`${parts.host} ${path}`).size;
    const paths = parts.paths.filter((path) => !(path === '/' && parts.type === 'Exact') && isNew(path));
    return paths.length === 0 ? [] : [{ ...parts, paths }];
  });
}

thorough(test)('random Ingresses are answered as the model of ingress-nginx answers them', async (t) => {
  const served = await startServed(t, servedIngress('first'));
  const { run } = served;
  const worlds = fc.sample(fc.array(any, { minLength: 1, maxLength: 4 }).map(withoutRivals), 8);
  for (const [round, world] of worlds.entries()) {
    // The directory gives all that comes in one file one age.
    const ingresses = world.map((parts, at) => servedIngress(`r${round}-${at}`, parts));
    run.write('ingress-0.yaml', ...ingresses);
    const { graph, builder } = run.control;
    const isRead = () => {
      const read = [...graph.list('Ingress')].filter(({ metadata }) => metadata.name.startsWith(`r${round}-`));
      return graph.count('Ingress') === ingresses.length && read.length === ingresses.length;
    };
    await until('the round to be read, and the one before to be gone', isRead);
    await builder.settled();
    await untilFits('the round to be applied', async () => isCurrent(run), Boolean);
    const stored = ingresses.map((ingress) => run.control.graph.find('Ingress', `shop/${ingress.metadata.name}`));
    const model = modelOf(served, ...(stored as KubernetesObject[]));
    for (const host of ['a.test', 'b.test', 'c.test', 'd.c.test'])
      for (const target of ['/', '/a', '/a/', '/A', '/ab', '/a/b', '/a/b/c/d', '/axb', '/none'])
        await compare(t, served, model, { host, target }, JSON.stringify(world));
  }
});

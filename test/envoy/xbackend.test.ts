import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { type Authority, createAuthority, type IssuedCertificate } from '../../scripts/example/certificate.ts';
import type { BackendRecord } from '../../src/admin/index.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { clusterTrustBundle, pod, xObject } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

const ref = (name: string) => ({ group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name });
const rule = (name: string) => ({
  matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
  backendRefs: [ref(name)],
});
const selecting = (name: string, app: string, port: number, more: object = {}) =>
  xObject('XBackend', name, {
    type: 'EndpointSelector',
    endpointSelector: { matchLabels: { app } },
    port: { number: port },
    ...more,
  });

const bundle = { group: 'certificates.k8s.io', kind: 'ClusterTrustBundle', name: 'ours' };

/** A backend with TLS that shows the certificate of its client. */
async function startTlsBackend(t: ExecutionContext, own: IssuedCertificate, clients: Authority): Promise<number> {
  const options = { cert: own.certificatePem, key: own.keyPem, ca: clients.certificatePem };
  const server = createServer({ ...options, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    response.end((request.socket as TLSSocket).getPeerCertificate().subject.CN);
  });
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('an XBackend is Pods by label, or a host outside, with TLS of its own', async (t) => {
  const authority = await createAuthority('ours');
  const own = await authority.issue({ hostnames: ['pay.test'] });
  const client = await authority.issue({ hostnames: ['gateway.test'] });
  const main = await startBackend(t);
  const secure = await startTlsBackend(t, own, authority);
  const validation = { hostname: 'pay.test', caCertificateRefs: [bundle] };
  const tls = { mode: 'ClientAndServer', clientCertificateRef: { name: 'client' }, validation };
  const { control, json, port, write, remove, stop } = await startStandalone(
    {
      'backends.yaml': [
        selecting('pods', 'shop', main.port),
        selecting('secure', 'shop', secure, { tls }),
        xObject('XBackend', 'outside', {
          type: 'ExternalHostname',
          externalHostname: { hostname: 'localhost' },
          port: { number: main.port },
        }),
      ],
      'pods.yaml': [pod('ready', { app: 'shop' }, '127.0.0.1'), pod('starting', { app: 'shop' }, '127.0.0.2', 'False')],
      'tls.yaml': [
        clusterTrustBundle('ours', authority.certificatePem),
        {
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'kubernetes.io/tls',
          metadata: { name: 'client' },
          stringData: { 'tls.crt': client.certificatePem, 'tls.key': client.keyPem },
        },
      ],
      'route.yaml': [routeObject('route', 'h.test', ['pods', 'secure', 'outside'].map(rule))],
    },
    { allowedAddresses: ['127.0.0.1/32'] },
  );
  t.teardown(stop);
  const get = (path: string) => send(port, { host: 'h.test', path });
  for (const path of ['/pods', '/secure', '/outside']) {
    await untilFits(
      `${path} to answer`,
      () => get(path),
      ({ status }) => status === 200,
    );
  }
  for (let sent = 0; sent < 10; sent++) t.is((await get('/pods')).status, 200);
  t.is(main.seen.at(-1)?.host, 'h.test');
  t.is((await get('/secure')).body, 'gateway.test');
  t.is((await get('/outside')).status, 200);
  t.is(main.seen.at(-1)?.host, 'localhost');
  // What proxies find by DNS has no endpoint to be judged by: nothing is said against it, so it is well.
  const { body } = await json(control.ports.layout1, '/v1/backends?sort=state');
  const listed = (body as BackendRecord[]).map(({ name, hostname, endpoints }) => [name, hostname, endpoints.length]);
  t.deepEqual(
    listed.find(([name]) => name === `outside:${main.port}`),
    [`outside:${main.port}`, 'localhost', 0],
  );
  const { items } = (await json(control.ports.layout1, '/v1/problems')).body as {
    readonly items: readonly { readonly code: string }[];
  };
  // A request may have come before its name was found.
  const ofBackends = items.filter(({ code }) => code !== 'traffic_failing');
  t.notRegex(JSON.stringify(ofBackends), /outside/);
  remove('pods.yaml');
  await untilFits(
    'the Pods to be gone',
    () => get('/pods'),
    ({ status }) => status === 503,
  );
  write('pods.yaml', pod('new', { app: 'shop' }, '127.0.0.1'));
  await untilFits(
    'the new Pod to serve',
    () => get('/pods'),
    ({ status }) => status === 200,
  );
});

thorough(test)('a retry budget lets few retries through at a time', async (t) => {
  const attempts = new Map<string, number>();
  /** Second attempts, which end when all requests are either held or have failed: however slow the machine is, they meet. */
  const held: (() => void)[] = [];
  const main = await startBackend(t, ({ url = '' }, response) => {
    const times = (attempts.get(url) ?? 0) + 1;
    attempts.set(url, times);
    if (times === 1) {
      response.statusCode = 500;
      return response.end();
    }
    return url === '/free/up' ? response.end('ok') : held.push(() => response.end('ok'));
  });
  const retried = (name: string) => ({
    matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
    backendRefs: [{ name, port: 80 }],
    retry: { codes: [500], attempts: 1 },
  });
  const retryConstraint = { budget: { percent: 0, interval: '1s' }, minRetryRate: { count: 2, interval: '1s' } };
  const { port, stop } = await startStandalone({
    'backends.yaml': [...serviceObjects('free', [main.port]), ...serviceObjects('bound', [main.port])],
    'policy.yaml': [
      xObject('XBackendTrafficPolicy', 'policy', {
        targetRefs: [{ group: '', kind: 'Service', name: 'bound' }],
        retryConstraint,
      }),
    ],
    'route.yaml': [routeObject('route', 'h.test', ['free', 'bound'].map(retried))],
  });
  t.teardown(stop);
  const get = async (path: string) => (await send(port, { host: 'h.test', path })).status;
  await untilFits(
    'the route to serve',
    () => get('/free/up'),
    (status) => status === 200,
  );
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const good = async (name: string) => {
    let failed = 0;
    const answers = numbers.map(async (number) => {
      const status = await get(`/${name}/${number}`);
      if (status !== 200) failed += 1;
    });
    await until('all to be held or to have failed', () => held.length + failed === numbers.length);
    for (const release of held.splice(0)) release();
    await Promise.all(answers);
    return numbers.length - failed;
  };
  t.is(await good('free'), 20);
  const bound = await good('bound');
  t.true(bound > 0 && bound < 20, `${bound} of 20 were retried`);
});

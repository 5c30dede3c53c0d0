import { createServer, request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { type Authority, createAuthority, type IssuedCertificate } from '../../scripts/example/certificate.ts';
import { freePort } from '../../scripts/free-port.ts';
import { type HttpAnswer, send, serviceObjects, startBackend } from '../support/http.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

const configMap = (name: string, pem: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { 'ca.crt': pem },
});

const secret = (name: string, { certificatePem, keyPem }: IssuedCertificate): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/tls',
  metadata: { name },
  stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
});

const policy = (service: string, validation: object): object => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'BackendTLSPolicy',
  metadata: { name: service },
  spec: { targetRefs: [{ group: '', kind: 'Service', name: service }], validation },
});

const authoritiesIn = (name: string) => ({ caCertificateRefs: [{ group: '', kind: 'ConfigMap', name }] });

const gatewayObject = (port: number, tls: object, listener: object = { protocol: 'HTTP' }): object => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'second' },
  spec: { gatewayClassName: 'gatewright', tls, listeners: [{ name: 'one', port, ...listener }] },
});

/** A backend with TLS that says by whom it was called, and with what SNI. */
async function startTlsBackend(t: ExecutionContext, own: IssuedCertificate, clients?: Authority): Promise<number> {
  const options = { cert: own.certificatePem, key: own.keyPem, ...(clients && { ca: clients.certificatePem }) };
  const server = createServer(
    { ...options, requestCert: clients !== undefined, rejectUnauthorized: true },
    (request, response) => {
      const socket = request.socket as TLSSocket & { servername?: string };
      response.end(JSON.stringify({ sni: socket.servername, client: socket.getPeerCertificate().subject?.CN ?? null }));
    },
  );
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const rule = (path: string) => ({
  matches: [{ path: { type: 'PathPrefix', value: `/${path}` } }],
  backendRefs: [{ name: path, port: 80 }],
});

const statusOf =
  ({ port }: Standalone, path: string) =>
  async (): Promise<HttpAnswer> =>
    send(port, { host: 'h.test', path: `/${path}` });

test('a backend with TLS is known by its names and authorities, or not spoken to at all', async (t) => {
  const [authority, stranger] = [await createAuthority('ours'), await createAuthority('strange')];
  const own = await authority.issue({ hostnames: ['a.test'], uris: ['spiffe://mesh/a'] });
  const port = await startTlsBackend(t, own);
  const names = ['good', 'host', 'strange', 'san', 'uri', 'nouri', 'missing'];
  const standalone = await startStandalone({
    'backends.yaml': names.flatMap((name) => serviceObjects(name, [port])),
    'authorities.yaml': [configMap('ours', authority.certificatePem), configMap('strange', stranger.certificatePem)],
    'policies.yaml': [
      policy('good', { ...authoritiesIn('ours'), hostname: 'a.test' }),
      policy('host', { ...authoritiesIn('ours'), hostname: 'b.test' }),
      policy('strange', { ...authoritiesIn('strange'), hostname: 'a.test' }),
      policy('san', {
        ...authoritiesIn('ours'),
        hostname: 'sni.test',
        subjectAltNames: [{ type: 'Hostname', hostname: 'a.test' }],
      }),
      policy('uri', {
        ...authoritiesIn('ours'),
        hostname: 'sni.test',
        subjectAltNames: [{ type: 'URI', uri: 'spiffe://mesh/a' }],
      }),
      policy('nouri', {
        ...authoritiesIn('ours'),
        hostname: 'a.test',
        subjectAltNames: [{ type: 'URI', uri: 'spiffe://mesh/b' }],
      }),
      policy('missing', { ...authoritiesIn('nowhere'), hostname: 'a.test' }),
    ],
    'route.yaml': [routeObject('route', 'h.test', names.map(rule))],
  });
  t.teardown(() => standalone.stop());
  const good = await untilFits('the backend to answer', statusOf(standalone, 'good'), ({ status }) => status === 200);
  t.is(JSON.parse(good.body).sni, 'a.test');
  t.is(JSON.parse((await statusOf(standalone, 'san')()).body).sni, 'sni.test');
  t.is((await statusOf(standalone, 'uri')()).status, 200);
  for (const path of ['host', 'strange', 'nouri', 'missing'])
    t.is((await statusOf(standalone, path)()).status, 503, path);

  standalone.write(
    'authorities.yaml',
    configMap('ours', authority.certificatePem),
    configMap('strange', authority.certificatePem),
  );
  await untilFits('the new authorities to be trusted', statusOf(standalone, 'strange'), ({ status }) => status === 200);
  t.is((await statusOf(standalone, 'good')()).status, 200);
  standalone.write('policies.yaml', policy('host', { ...authoritiesIn('ours'), hostname: 'a.test' }));
  await untilFits('the changed policy', statusOf(standalone, 'host'), ({ status }) => status === 200);
});

test('a Gateway shows its client certificate to backends with TLS, and another Gateway shows none', async (t) => {
  const authority = await createAuthority('ours');
  const port = await startTlsBackend(t, await authority.issue({ hostnames: ['a.test'] }), authority);
  const second = await freePort();
  const route = routeObject('route', 'h.test', [rule('web')]) as { spec: { parentRefs: object[] } };
  route.spec.parentRefs.push({ name: 'second' });
  const standalone = await startStandalone({
    'backend.yaml': serviceObjects('web', [port]),
    'tls.yaml': [
      configMap('ours', authority.certificatePem),
      policy('web', { ...authoritiesIn('ours'), hostname: 'a.test' }),
      secret('client', await authority.issue({ hostnames: ['gateway.test'] })),
      gatewayObject(second, { backend: { clientCertificateRef: { name: 'client' } } }),
    ],
    'route.yaml': [route],
  });
  t.teardown(() => standalone.stop());
  const answer = await untilFits(
    'the second gateway',
    () => send(second, { host: 'h.test', path: '/web' }),
    ({ status }) => status === 200,
  );
  t.is(JSON.parse(answer.body).client, 'gateway.test');
  const rejected = await untilFits('the first', statusOf(standalone, 'web'), ({ status }) => status !== 404);
  t.is(rejected.status, 503);
});

/** The status of an answer, or the word `refused` when there was no connection. */
function askWith(port: number, client?: IssuedCertificate): Promise<number | 'refused'> {
  return new Promise((resolve) => {
    const sent = tlsRequest({
      host: '127.0.0.1',
      port,
      servername: 'h.test',
      headers: { host: 'h.test' },
      rejectUnauthorized: false,
      agent: false,
      ...(client && { cert: client.certificatePem, key: client.keyPem }),
    });
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('error', () => resolve('refused'));
    sent.end();
  });
}

test('clients are checked by the mode of the port, and a check without authorities closes it', async (t) => {
  const [authority, stranger] = [await createAuthority('ours'), await createAuthority('strange')];
  const main = await startBackend(t);
  const known = await authority.issue({ hostnames: ['client.test'] });
  const unknown = await stranger.issue({ hostnames: ['client.test'] });
  const [strict, lenient, closed] = [await freePort(), await freePort(), await freePort()];
  const listener = (name: string, port: number) => ({
    name,
    port,
    protocol: 'HTTPS',
    tls: { certificateRefs: [{ name: 'cert' }] },
  });
  const gateway = (trusted: string) => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'second' },
    spec: {
      gatewayClassName: 'gatewright',
      tls: {
        frontend: {
          default: { validation: authoritiesOf(trusted) },
          perPort: [
            { port: lenient, tls: { validation: { ...authoritiesOf('ours'), mode: 'AllowInsecureFallback' } } },
            { port: closed, tls: { validation: authoritiesOf('nowhere') } },
          ],
        },
      },
      listeners: [listener('strict', strict), listener('lenient', lenient), listener('closed', closed)],
    },
  });
  const route = routeObject('route', 'h.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]) as {
    spec: { parentRefs: object[] };
  };
  route.spec.parentRefs.push({ name: 'second' });
  const standalone = await startStandalone({
    'backend.yaml': serviceObjects('web', [main.port]),
    'authorities.yaml': [configMap('ours', authority.certificatePem)],
    'cert.yaml': [secret('cert', await authority.issue({ hostnames: ['h.test'] }))],
    'second.yaml': [gateway('ours')],
    'route.yaml': [route],
  });
  t.teardown(() => standalone.stop());
  await untilFits(
    'the lenient port',
    () => askWith(lenient),
    (status) => status === 200,
  );
  await untilFits(
    'the strict port',
    () => askWith(strict, known),
    (status) => status === 200,
  );
  t.is(await askWith(strict), 'refused');
  t.is(await askWith(strict, unknown), 'refused');
  t.is(await askWith(lenient, known), 200);
  t.is(await askWith(lenient, unknown), 200);
  t.is(await askWith(closed, known), 'refused');

  standalone.write('authorities.yaml', configMap('ours', stranger.certificatePem));
  await untilFits(
    'the new authorities to be trusted',
    () => askWith(strict, unknown),
    (status) => status === 200,
  );
  t.is(await askWith(strict, known), 'refused');
});

const authoritiesOf = (name: string) => ({ caCertificateRefs: [{ group: '', kind: 'ConfigMap', name }] });

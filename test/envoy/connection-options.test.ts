import { once } from 'node:events';
import { type ClientHttp2Session, connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createClientAuthority } from '../support/client-certificates.ts';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { send, startBackend } from '../support/http.ts';
import { endpointSlice, gateway, httpRoute, ownObject, secret, service } from '../support/objects.ts';
import { until } from '../support/until.ts';

/** What is said of connections by ListenerPolicies and BackendPolicies, at a real Envoy. */

const listenerPolicy = (spec: object) =>
  ownObject('ListenerPolicy', 'edge', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
    ...spec,
  });
const backendPolicy = (spec: object) =>
  ownObject('BackendPolicy', 'web', { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], ...spec });

const plainGateway = gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]);
const route = httpRoute('web', { rules: refs({ web: 1 }) as never });

function openH2(t: ExecutionContext, url: string): ClientHttp2Session {
  const session = connect(url, { rejectUnauthorized: false });
  session.on('error', () => {});
  t.teardown(() => session.destroy());
  return session;
}

/** The status, or how the stream ended without one. */
async function statusOf(session: ClientHttp2Session, headers: object): Promise<number | string> {
  const stream = session.request({ ':method': 'POST', ':authority': 'a.test', ':path': '/', ...headers });
  stream.end();
  stream.resume();
  stream.on('error', () => {});
  const ended = new Promise<string>((resolve) => stream.once('close', () => resolve('closed')));
  const answered = once(stream, 'response').then(
    ([found]) => Number((found as Record<string, unknown>)[':status']),
    () => 'reset',
  );
  const status = await Promise.race([answered, ended]);
  await ended;
  return status;
}

/** Not allowed in the value of a header. Source: RFC 9113, 8.2.1. */
const bad = { 'x-bad': 'a\u0001b' };

test('an invalid message of a client ends its stream alone, where a policy says so', async (t) => {
  const web = await startBackend(t);
  const { envoy, apply } = await startWorld(t, plainGateway, route, ...backend('web', web.port));
  const url = `http://127.0.0.1:${await envoy.port('http/80')}`;
  const usual = openH2(t, url);
  t.is(await statusOf(usual, {}), 200);
  const isOver = once(usual, 'close');
  t.not(await statusOf(usual, bad), 200);
  await isOver;
  await apply(listenerPolicy({ http2: { onInvalidMessage: 'ResetStream' } }));
  const kept = openH2(t, url);
  t.is(await statusOf(kept, {}), 200);
  t.not(await statusOf(kept, bad), 200);
  t.is(await statusOf(kept, {}), 200, 'on the same connection');
  t.false(kept.closed);
});

/** A backend that speaks HTTP/2 in plain text. Requests for `/bad` are answered with what HTTP/2 does not allow. */
async function startH2(t: ExecutionContext) {
  const seen: (string | undefined)[] = [];
  let ended = 0;
  const server = createServer();
  server.on('session', (session) => {
    session.on('error', () => {});
    session.on('close', () => {
      ended += 1;
    });
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    seen.push(headers[':scheme']);
    stream.respond({ ':status': 200, ...(headers[':path'] === '/bad' && bad) });
    stream.end('page');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const objects = [
    service('web', [{ port: 80, name: 'p80', protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' }] as never),
    endpointSlice('web', ['127.0.0.1'], { port }),
  ];
  return { objects, seen, ended: () => ended };
}

test('an invalid message of a backend ends its stream alone, where a policy says so', async (t) => {
  const web = await startH2(t);
  const { envoy, apply } = await startWorld(t, plainGateway, route, ...web.objects);
  const port = await envoy.port('http/80');
  const ask = async (path: string) => (await send(port, { host: 'a.test', path })).status;
  t.is(await ask('/'), 200);
  t.is(await ask('/bad'), 502);
  await until('the connection to be ended', () => web.ended() > 0);
  await apply(backendPolicy({ http2: { onInvalidMessage: 'ResetStream' } }));
  await until('connections of before to be ended', async () => (await ask('/')) === 200);
  const before = web.ended();
  for (let times = 0; times < 8; times += 1) {
    t.is(await ask('/bad'), 502);
    t.is(await ask('/'), 200);
  }
  t.is(web.ended(), before);
});

test('backends see the scheme of the client, or that of their own connection', async (t) => {
  const web = await startH2(t);
  const authority = await createClientAuthority('ours');
  const server = await authority.issue({ subject: 'CN=server', dns: ['a.test'] });
  const listener = { name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'cert' }] } };
  const { envoy, apply } = await startWorld(
    t,
    secret('cert', { 'tls.crt': server.certificatePem, 'tls.key': server.keyPem }),
    gateway('edge', [listener] as never),
    route,
    ...web.objects,
  );
  const url = `https://127.0.0.1:${await envoy.port('https/443')}`;
  t.is(await statusOf(openH2(t, url), {}), 200);
  t.is(web.seen.at(-1), 'https');
  await apply(listenerPolicy({ headers: { scheme: 'Backend' } }));
  t.is(await statusOf(openH2(t, url), {}), 200);
  t.is(web.seen.at(-1), 'http');
});

test('requests pass with buffers of sockets, few accepts at a time, and probes that wait for a random time', async (t) => {
  const web = await startBackend(t);
  const { envoy, apply } = await startWorld(
    t,
    plainGateway,
    route,
    ...backend('web', web.port),
    listenerPolicy({ limits: { acceptsPerEvent: 1 } }),
    backendPolicy({
      connection: { socketBufferBytes: 8192 },
      healthCheck: {
        active: { interval: '200ms', timeout: '200ms', initialJitter: '50ms', jitterPercent: 50, tcp: {} },
        panicThreshold: 0,
      },
    }),
  );
  const port = await envoy.port('http/80');
  const body = 'x'.repeat(200_000);
  const statuses = await Promise.all(
    Array.from({ length: 20 }, () => send(port, { host: 'a.test', method: 'POST', body }).then(({ status }) => status)),
  );
  t.deepEqual([...new Set(statuses)], [200]);
  await apply(listenerPolicy({ limits: { acceptsPerEvent: 4 } }), backendPolicy({ timeouts: { connect: '1s' } }));
  t.is((await send(port, { host: 'a.test' })).status, 200);
});

import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, connect as h2Connect, type ServerHttp2Session } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server } from 'node:net';
import type { TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { backend, startWorld } from '../support/graph-proxy.ts';
import { startHolding } from '../support/holding-backend.ts';
import { send, startBackend } from '../support/http.ts';
import { listening } from '../support/listening.ts';
import { startLyingDns } from '../support/lying-dns.ts';
import { backendTlsPolicy, configMap, endpointSlice, gateway, httpRoute, service } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { policy, startRuled } from '../support/ruled-backend.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';
import type { AnyObject } from '../support/world.ts';

/** What BackendPolicies say of connections to backends, with a real Envoy. */

thorough(test)('HTTP/2 to a backend has the windows and pings that are asked for', async (t) => {
  const server = createHttp2Server((_, response) => response.end('ok'));
  const sessions: ServerHttp2Session[] = [];
  const pings = new Set<ServerHttp2Session>();
  server.on('session', (session: ServerHttp2Session) => {
    sessions.push(session);
    session.on('ping', () => pings.add(session));
  });
  const port = await listening(t, server as unknown as Server);
  const http2 = {
    initialStreamWindowBytes: 100_000,
    initialConnectionWindowBytes: 200_000,
    keepalive: { interval: '1s' },
  };
  const { served } = await startRuled(t, { http2 }, [
    service('web', [{ port: 80, name: 'p80', appProtocol: 'kubernetes.io/h2c' }] as never),
    endpointSlice('web', ['127.0.0.1'], { port }),
  ]);
  await served();
  const windows = () => sessions.map(({ remoteSettings }) => remoteSettings?.initialWindowSize);
  await untilFits('settings', windows, (all) => all.includes(100_000));
  await untilFits(
    'a ping',
    () => pings.size,
    (count) => count > 0,
  );
  t.pass();
});

thorough(test)('a server of HTTP/2 is checked by HTTP/2', async (t) => {
  const asked: string[] = [];
  const server = createHttp2Server((request, response) => {
    asked.push(request.url);
    response.end('ok');
  });
  const port = await listening(t, server as unknown as Server);
  const active = { interval: '200ms', timeout: '200ms', http: { path: '/well' } };
  const { served, envoy } = await startRuled(t, { healthCheck: { active, panicThreshold: 0 } }, [
    service('web', [{ port: 80, name: 'p80', appProtocol: 'kubernetes.io/h2c' }] as never),
    endpointSlice('web', ['127.0.0.1'], { port }),
  ]);
  await served();
  await untilFits(
    'checks that succeed',
    () => envoy.stat('cluster.default/web/80.health_check.success'),
    (count) => count >= 2,
  );
  t.true(asked.includes('/well'));
});

/** A port that takes HTTP/1.1 and HTTP/2 without TLS, and answers which one it was. */
async function startBothVersions(t: ExecutionContext): Promise<number> {
  const answer = (request: Pick<IncomingMessage, 'httpVersion'>, response: Pick<ServerResponse, 'end'>) =>
    response.end(request.httpVersion);
  const [one, two] = [createHttpServer(answer), createHttp2Server(answer as never)];
  // Envoy may be about to use a connection that would be closed for having been idle.
  one.keepAliveTimeout = 0;
  const server = createServer((socket) =>
    socket.once('readable', () => {
      const first = socket.read() as Buffer | null;
      if (!first) return;
      socket.unshift(first);
      (first.toString('latin1').startsWith('PRI ') ? two : one).emit('connection', socket);
    }),
  );
  return listening(t, server);
}

const ask2 = async (t: ExecutionContext, port: number): Promise<string> => {
  const session = h2Connect(`http://127.0.0.1:${port}`);
  t.teardown(() => session.destroy());
  const stream = session.request({ ':path': '/', ':authority': 'web.test' });
  let body = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    body += text;
  });
  await once(stream, 'end');
  return body;
};

test('with useClientProtocol a request travels in the version that it came in', async (t) => {
  const { port, ask, apply, served } = await startRuled(
    t,
    { timeouts: { connect: '4s' } },
    backend('web', await startBothVersions(t)),
  );
  await served();
  t.is(await ask2(t, port), '1.1');
  await apply(policy({ useClientProtocol: true }));
  await untilFits(
    'HTTP/2',
    () => ask2(t, port),
    (version) => version === '2.0',
  );
  t.is((await ask()).body, '1.1');
});

test('TLS to a backend has the versions and ciphers that are asked for', async (t) => {
  const authority = await createAuthority('ours');
  const { certificatePem, keyPem } = await authority.issue({ hostnames: ['web.test'] });
  const server = createHttpsServer(
    { cert: certificatePem, key: keyPem, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', ALPNProtocols: ['http/1.1'] },
    ({ socket }, response) => {
      const { name } = (socket as TLSSocket).getCipher();
      response.end(`${(socket as TLSSocket).getProtocol()} ${name}`);
    },
  );
  // Envoy may be about to use a connection that would be closed for having been idle.
  server.keepAliveTimeout = 0;
  const { ask, apply } = await startRuled(t, { tls: { maxVersion: '1.2' } }, [
    ...backend('web', await listening(t, server as unknown as Server)),
    configMap('ours', { 'ca.crt': authority.certificatePem }),
    backendTlsPolicy('web', {
      targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
      validation: { hostname: 'web.test', caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'ours' }] },
    } as never),
  ]);
  const spoken = async () => (await ask()).body;
  await untilFits('TLS 1.2', spoken, (found) => found.startsWith('TLSv1.2 '));
  await apply(policy({ timeouts: { connect: '4s' } }));
  await untilFits('the newest', spoken, (found) => found.startsWith('TLSv1.3 '));
  await apply(
    policy({
      tls: { maxVersion: '1.2', cipherSuites: ['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'] },
    }),
  );
  await untilFits('another cipher', spoken, (found) => found.includes('CHACHA20'));
  await apply(policy({ tls: { minVersion: '1.3' } }));
  await untilFits('TLS 1.3', spoken, (found) => found.startsWith('TLSv1.3 '));
  // With the client's version Envoy offers what it is about to speak.
  await apply(policy({ useClientProtocol: true }));
  await untilFits('any version', ask, ({ status }) => status === 200);
  t.pass();
});

thorough(test)('connections are opened ahead of requests, and replaced when they are old', async (t) => {
  const { port: at, connections } = await startHolding(t);
  const { port, served, apply, ask } = await startRuled(
    t,
    { connection: { preconnectPercent: 300 } },
    backend('web', at),
  );
  await served();
  void send(port, { host: 'web.test', path: '/held' }).catch(() => undefined);
  await untilFits(
    'more connections than requests',
    () => connections.size,
    (count) => count >= 3,
  );
  await apply(policy({ timeouts: { maxConnectionDuration: '500ms' }, connection: { bufferBytes: 65_536 } }));
  const before = connections.size;
  await untilFits(
    'new connections for the same requests',
    async () => {
      await ask();
      return connections.size;
    },
    (count) => count >= before + 3,
  );
  t.pass();
});

test('an endpoint gets no more connections than its own limit', async (t) => {
  const { port: at, connections, held } = await startHolding(t);
  const breaker = { circuitBreaker: { maxConnectionsPerEndpoint: 2 } };
  const { port, served, envoy } = await startRuled(t, breaker, backend('web', at));
  await served();
  const answers = Array.from({ length: 5 }, () => send(port, { host: 'web.test', path: '/held' }));
  await untilFits(
    'waiting requests',
    () => envoy.stat('cluster.default/web/80.upstream_rq_pending_active'),
    (count) => count === 3,
  );
  await untilFits(
    'the others at the endpoint',
    () => held.length,
    (count) => count === 2,
  );
  t.is(connections.size, 2);
  const release = setInterval(() => {
    for (const request of held.splice(0)) request.end();
  }, 5);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  clearInterval(release);
  t.deepEqual(statuses, [200, 200, 200, 200, 200]);
});

test('requests go to the address of the Service where a policy says so, and to endpoints without one', async (t) => {
  const pod = await startBackend(t, (_, response) => response.end('endpoint'));
  const virtual = await startBackend(t, (_, response) => response.end('service'), '127.0.0.3');
  const web = (clusterIP: string) => {
    const { spec, ...rest } = service('web', [{ port: virtual.port, name: 'p80' }] as never);
    return { ...rest, spec: { ...spec, clusterIP } } as AnyObject;
  };
  const { apply, envoy } = await startWorldOf(t, virtual.port, [
    web('127.0.0.3'),
    endpointSlice('web', ['127.0.0.1'], { port: pod.port }),
  ]);
  const port = await envoy.port('http/80');
  const answered = async () => (await send(port, { host: 'web.test' })).body;
  const by = (what: string) => untilFits(what, answered, (body) => body === what);
  await by('endpoint');
  await apply(policy({ addressing: 'Service' }));
  await by('service');
  await apply(
    endpointSlice('web', ['127.0.0.1', '127.0.0.9'], { port: pod.port }),
    policy({ addressing: 'Service', timeouts: { connect: '4s' } }),
  );
  t.is(await answered(), 'service');
  await apply(web('None'));
  await by('endpoint');
  t.pass();
});

const startWorldOf = (t: ExecutionContext, port: number, objects: readonly AnyObject[]) =>
  startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    ...objects,
    httpRoute('web', { rules: [{ backendRefs: [{ name: 'web', port }] }] as never }),
  );

test('a cookie that is given has the attributes that are asked for', async (t) => {
  const web = await startBackend(t);
  const cookie = {
    name: 'place',
    ttl: '0s',
    path: '/shop',
    domain: 'shop.test',
    sameSite: 'None',
    secure: true,
    partitioned: true,
  };
  const consistentHash = { type: 'Cookie', cookie };
  const { served } = await startRuled(
    t,
    { loadBalancer: { type: 'ConsistentHash', consistentHash } },
    backend('web', web.port),
  );
  const { headers } = await served();
  const [given = ''] = headers['set-cookie'] ?? [];
  t.regex(given, /^place="?[0-9a-f]+"?; /);
  t.regex(given, /; Path=\/shop/i);
  t.regex(given, /; SameSite=None/);
  t.regex(given, /; Secure(;|$)/);
  t.regex(given, /; Domain=shop\.test/);
  t.regex(given, /; Partitioned(;|$)/);
});

thorough(test)('the name of an XBackend is resolved in the family and as often as its policy says', async (t) => {
  const dns = await startLyingDns(t);
  const web = await startBackend(t, (_, response) => response.end('four'));
  // The answers could be kept for a day.
  dns.set('out.test', ({ type }) =>
    type === 'A' ? [{ type: 'A', name: 'out.test', ttl: 86_400, data: '127.0.0.1' }] : [],
  );
  const group = 'gateway.networking.x-k8s.io';
  const named = (family: string) => ({
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'BackendPolicy',
    metadata: { name: 'out' },
    spec: {
      targetRefs: [{ group, kind: 'XBackend', name: 'out' }],
      dns: { family, refreshInterval: '1s', respectTTL: false },
    },
  });
  const world = await startStandalone(
    {
      'out.yaml': [
        {
          apiVersion: `${group}/v1alpha1`,
          kind: 'XBackend',
          metadata: { name: 'out' },
          spec: { type: 'ExternalHostname', externalHostname: { hostname: 'out.test' }, port: { number: web.port } },
        },
        routeObject('web', 'web.test', [{ backendRefs: [{ group, kind: 'XBackend', name: 'out' }] }]),
      ],
      'policy.yaml': [named('IPv4')],
    },
    { nameServers: [dns], allowedAddresses: ['127.0.0.1/32'] },
  );
  t.teardown(world.stop);
  const status = async () => (await send(world.port, { host: 'web.test' })).status;
  await untilFits('an answer', status, (code) => code === 200);
  const before = dns.asked.length;
  await untilFits(
    'more questions',
    () => dns.asked.length,
    (count) => count >= before + 2,
  );
  t.true(dns.asked.every(({ type }) => type === 'A'));
  world.write('policy.yaml', named('IPv6'));
  await untilFits('no address', status, (code) => code === 503);
  await untilFits('a question for IPv6', () => dns.asked.some(({ type }) => type === 'AAAA'), Boolean);
  world.write('policy.yaml', named('IPv6Preferred'));
  await untilFits('an answer', status, (code) => code === 200);
  t.pass();
});

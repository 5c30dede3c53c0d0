import { Agent, request as httpsRequest } from 'node:https';
import test, { type ExecutionContext } from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { sendHttp3 } from '../../scripts/example/http3.ts';
import { freePort } from '../../scripts/free-port.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { startHttp3Talk } from '../support/http3-talk.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

const policy = (http3: object, more: object = {}) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'ListenerPolicy',
  metadata: { name: 'edge' },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', sectionName: 'web' }],
    http3,
    ...more,
  },
});

interface TcpAnswer {
  readonly status: number;
  readonly altSvc: string | undefined;
  /** The client's own port. */
  readonly from: number | undefined;
}

async function startWorld(t: ExecutionContext, http3: object = {}) {
  const held: (() => void)[] = [];
  const authority = await createAuthority('ours');
  const port = await freePort();
  const backend = await startBackend(t, (request, response) => {
    const answer = () => void response.end(JSON.stringify({ url: request.url, headers: request.headers }));
    if (request.url === '/slow') held.push(answer);
    else answer();
  });
  const secretOf = async (name: string) => {
    const { certificatePem, keyPem } = await authority.issue({ hostnames: [`${name}.test`] });
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { name },
      stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
    };
  };
  const listener = (name: string) => ({
    name,
    port,
    protocol: 'HTTPS',
    hostname: `${name}.test`,
    tls: { certificateRefs: [{ name }] },
  });
  const world = await startStandalone({
    'secrets.yaml': [await secretOf('web'), await secretOf('old')],
    'backend.yaml': serviceObjects('web', [backend.port]),
    'policy.yaml': [policy({ enabled: true, ...http3 })],
    'route.yaml': [routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
  });
  t.teardown(world.stop);
  const [gatewayClass] = world.gatewayObjects;
  world.write('gateway.yaml', gatewayClass as object, {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'edge' },
    spec: { gatewayClassName: 'gatewright', listeners: [listener('web'), listener('old')] },
  });
  const ca = authority.certificatePem;
  const byTcp = (host = 'web.test', agent: Agent | false = false) =>
    new Promise<TcpAnswer>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, servername: host, ca, headers: { host }, agent };
      httpsRequest(options, (answer) => {
        const { localPort: from } = answer.socket;
        const said = { status: answer.statusCode ?? 0, altSvc: answer.headers['alt-svc'] as string | undefined, from };
        answer.resume().once('end', () => resolve(said));
      })
        .once('error', reject)
        .end();
    });
  const byQuic = (host = 'web.test', more: object = {}) => sendHttp3({ host, port, ca, ...more });
  const talk = () => startHttp3Talk(t, { host: 'web.test', port, ca });
  return { ...world, httpsPort: port, byTcp, byQuic, talk, held };
}

test('HTTP/3 is served where it is enabled, is advertised, and uses the same routes', async (t) => {
  t.timeout(300_000);
  const { byTcp, byQuic, httpsPort, json, agentPort } = await startWorld(t);
  const first = await untilFits(
    'an answer by TCP',
    () => byTcp(),
    ({ status }) => status === 200,
  );
  t.is(first.altSvc, `h3=":${httpsPort}"; ma=86400`);
  const answer = await until('an answer by HTTP/3', () => byQuic('web.test', { path: '/a//b?c=1' }));
  t.is(answer.status, 200);
  const { url, headers } = JSON.parse(answer.body);
  t.is(url, '/a/b?c=1');
  t.is(headers['x-forwarded-proto'], 'https');
  t.is(answer.headers['alt-svc'], undefined);
  t.is((await byQuic('elsewhere.test', { serverName: 'web.test' })).status, 404);
  const { listeners } = (await json(agentPort, '/api/v1/status')).body as {
    listeners: { name: string; protocol: string }[];
  };
  t.deepEqual(
    listeners.map(({ name, protocol }) => `${name} ${protocol}`),
    [`http3/${httpsPort} HTTP3`, `https/${httpsPort} HTTPS`],
  );
});

thorough(test)(
  'routes change without the listener, and HTTP/3 ends without the other listener of its port',
  async (t) => {
    t.timeout(300_000);
    const { byTcp, byQuic, write } = await startWorld(t);
    await until('an answer by HTTP/3', () => byQuic());
    // The other listener of the port did not ask for it, and its connections outlast all that follows.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.teardown(() => agent.destroy());
    const kept = await byTcp('old.test', agent);
    t.is(kept.altSvc, undefined);
    await t.throwsAsync(byQuic('old.test', { patienceSeconds: 3 }));
    write(
      'route.yaml',
      routeObject('web', 'web.test', [
        {
          filters: [
            {
              type: 'RequestRedirect',
              requestRedirect: { path: { type: 'ReplaceFullPath', replaceFullPath: '/new' } },
            },
          ],
        },
      ]),
    );
    await untilFits(
      'the new route',
      () => byQuic(),
      ({ status }) => status === 302,
    );
    write('policy.yaml', policy({ enabled: true, advertisedPort: 443, advertisedFor: '1h' }));
    await untilFits(
      'other words to clients',
      () => byTcp(),
      ({ altSvc }) => altSvc === 'h3=":443"; ma=3600',
    );
    write('policy.yaml', policy({ enabled: false }));
    await untilFits(
      'no more of it',
      () => byTcp(),
      ({ altSvc }) => altSvc === undefined,
    );
    await untilFits(
      'the port to be closed',
      () =>
        byQuic('web.test', { patienceSeconds: 3 }).then(
          () => 'open',
          () => 'closed',
        ),
      (state) => state === 'closed',
    );
    t.is((await byTcp('old.test', agent)).from, kept.from);
  },
);

thorough(test)('a client has no more requests under way on a connection than maxConcurrentStreams', async (t) => {
  t.timeout(300_000);
  const { byQuic, talk, held } = await startWorld(t, { maxConcurrentStreams: 2 });
  await until('HTTP/3', () => byQuic());
  const { ask } = await talk();
  const slow = [ask('/slow'), ask('/slow'), ask('/slow')];
  await untilFits(
    'two to be held',
    () => held.length,
    (count) => count >= 2,
  );
  // The third waits in the client, of which another connection knows nothing.
  const other = await ask('/', null);
  t.is(other.status, 200);
  t.is(other.maxStreams, 2);
  t.is(held.length, 2);
  for (const answer of held.splice(0)) answer();
  await untilFits(
    'the third',
    () => held.length,
    (count) => count === 1,
  );
  for (const answer of held) answer();
  const answers = await Promise.all(slow);
  t.deepEqual(
    answers.map(({ status, connection, maxStreams }) => ({ status, connection, maxStreams })),
    Array.from({ length: 3 }, () => ({ status: 200, connection: 1, maxStreams: 2 })),
  );
});

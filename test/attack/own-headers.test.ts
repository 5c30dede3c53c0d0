import { type ClientHttp2Session, connect as connectH2, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import anyTest, { type TestFn } from 'ava';
import { issueCertificate } from '../../scripts/example/certificate.ts';
import { sendHttp3 } from '../../scripts/example/http3.ts';
import { freePort } from '../../scripts/free-port.ts';
import { ask, chat, startAiWorld } from '../support/ai.ts';
import { type Endings, endings } from '../support/endings.ts';
import { startGrpcAuth } from '../support/grpc-auth.ts';
import { type CountingBackend, send, serviceObjects, startBackend } from '../support/http.ts';
import { exchange } from '../support/raw-http.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

// A client and a backend write the headers by which filters of the proxy exchange what they found.

interface World {
  readonly gateway: Standalone;
  readonly httpsPort: number;
  /** Answers with headers of ours. */
  readonly hostile: CountingBackend;
  readonly mirror: CountingBackend;
  readonly httpAuth: CountingBackend;
  readonly grpcAsked: readonly {
    readonly attributes?: { readonly request?: { readonly http?: { readonly headers: object } } };
  }[];
  readonly h2Seen: readonly IncomingHttpHeaders[];
  readonly h2Trailers: readonly IncomingHttpHeaders[];
}

const test = anyTest as TestFn<World>;
const all = endings(test);

/** All that exist, one that does not, and spellings. */
const forged: Readonly<Record<string, string>> = {
  'x-gw-scope': 'http/80|other.test',
  'X-GW-Upstream': '192.0.2.1:80',
  'x-gw-ai-id': 'forged',
  'x-gw-ai-route': 'httproute/default/forged',
  'x-gw-ai-budgets': 'forged',
  'x-gw-anything': 'forged',
};
/** HTTP/3 takes no other spelling. */
const inLowerCase = Object.fromEntries(Object.entries(forged).map(([name, value]) => [name.toLowerCase(), value]));
const own = (headers: object): string[] => Object.keys(headers).filter((name) => /^x-gw-/i.test(name));

/** A backend of HTTP/2 that keeps headers and trailers, and answers with some of ours in both. */
async function startH2(t: Endings, seen: IncomingHttpHeaders[], trailers: IncomingHttpHeaders[]): Promise<number> {
  const server = createServer();
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream, headers) => {
    seen.push(headers);
    stream.on('trailers', (given) => trailers.push(given));
    stream.resume().once('end', () => {
      stream.respond({ ':status': 200, 'x-gw-upstream': '192.0.2.1:80', 'x-kept': 'yes' }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'x-gw-anything': 'forged', 'x-kept': 'yes' }));
      stream.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const to = (name: string) => ({ backendRefs: [{ name, port: 80 }] });
const at = (path: string, more: object) => ({ matches: [{ path: { type: 'PathPrefix', value: path } }], ...more });
const auth = (name: string, given: object) => ({
  type: 'ExternalAuth',
  externalAuth: { backendRef: { name, port: 80 }, ...given },
});
const mirroring = {
  filters: [{ type: 'RequestMirror', requestMirror: { backendRef: { name: 'mirror', port: 80 } } }],
  ...to('hostile'),
};
const rules = [
  at('/mirror', mirroring),
  at('/http-auth', { filters: [auth('http-auth', { protocol: 'HTTP', http: {} })], ...to('hostile') }),
  at('/grpc-auth', { filters: [auth('grpc-auth', { protocol: 'GRPC', grpc: {} })], ...to('hostile') }),
  at('/h2', to('h2')),
  at('/retry', { retry: { codes: [503], attempts: 2 }, ...to('hostile') }),
  at('/', to('hostile')),
];
const hosts = ['own.test', 'x.wild.test'] as const;

test.before(async (t) => {
  t.timeout(300_000);
  const h2Seen: IncomingHttpHeaders[] = [];
  const h2Trailers: IncomingHttpHeaders[] = [];
  const hostile = await startBackend(all, (request, response) => {
    response.statusCode = request.url?.startsWith('/retry') ? 503 : 200;
    for (const [name, value] of Object.entries(forged)) response.setHeader(name, value);
    response.setHeader('x-kept', 'yes').end('ok');
  });
  const mirror = await startBackend(all);
  const httpAuth = await startBackend(all, (_, response) => {
    for (const [name, value] of Object.entries(forged)) response.setHeader(name, value);
    response.end();
  });
  const grpc = await startGrpcAuth(all, () => ({ status: { code: 0 } }));
  const h2Port = await startH2(all, h2Seen, h2Trailers);
  const httpsPort = await freePort();
  const { certificatePem, keyPem } = await issueCertificate([...hosts]);
  const gateway = await startStandalone({
    'services.yaml': [
      ...serviceObjects('hostile', [hostile.port]),
      ...serviceObjects('mirror', [mirror.port]),
      ...serviceObjects('http-auth', [httpAuth.port]),
      ...serviceObjects('grpc-auth', [grpc.port], { appProtocol: 'kubernetes.io/h2c' }),
      ...serviceObjects('h2', [h2Port], { appProtocol: 'kubernetes.io/h2c' }),
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name: 'certificate' },
        stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem },
      },
    ],
    'routes.yaml': [routeObject('own', 'own.test', rules), routeObject('wild', '*.wild.test', rules)],
    'policy.yaml': [
      {
        apiVersion: 'gatewright.dev/v1alpha1',
        kind: 'ListenerPolicy',
        metadata: { name: 'edge' },
        spec: {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge', sectionName: 'https' }],
          http3: { enabled: true },
        },
      },
    ],
  });
  all.teardown(() => gateway.stop());
  const [gatewayClass, edge] = gateway.gatewayObjects as [object, { spec: { listeners: object[] } }];
  const https = {
    name: 'https',
    port: httpsPort,
    protocol: 'HTTPS',
    tls: { certificateRefs: [{ name: 'certificate' }] },
  };
  gateway.write('gateway.yaml', gatewayClass, {
    ...edge,
    spec: { ...edge.spec, listeners: [...edge.spec.listeners, https] },
  });
  const isServed = (host: string) => send(gateway.port, { host }).then(({ status }) => status);
  for (const host of hosts)
    await untilFits(
      `${host} to be served`,
      () => isServed(host),
      (status) => status === 200,
    );
  t.context = { gateway, httpsPort, hostile, mirror, httpAuth, grpcAsked: grpc.asked, h2Seen, h2Trailers };
});

/** Asks by HTTP/1.1 for a path that no other test asks for; gives what the backend saw of it. */
async function seenAt({ gateway, hostile }: World, host: string, path: string) {
  const answer = await send(gateway.port, { host, path, headers: forged });
  const seen = hostile.seen[hostile.requests.indexOf(path)];
  if (!seen) throw new Error(`${path} did not get there: ${answer.status} ${answer.body}`);
  return { answer, seen };
}

test('HTTP/1.1: headers of ours reach neither the backend nor the client', async (t) => {
  for (const host of hosts) {
    const { answer, seen } = await seenAt(t.context, host, `/one?${host}`);
    t.deepEqual(own(seen), []);
    t.deepEqual(own(answer.headers), []);
    t.is(answer.headers['x-kept'], 'yes', 'other headers pass');
  }
});

test('neither a mirror nor a second try sees headers of ours', async (t) => {
  for (const host of hosts) {
    await seenAt(t.context, host, `/mirror?${host}`);
    const { mirror, hostile } = t.context;
    await untilFits(
      'the copy',
      () => mirror.requests,
      (requests) => requests.includes(`/mirror?${host}`),
    );
    t.deepEqual(mirror.seen.flatMap(own), []);
    const { answer } = await seenAt(t.context, host, `/retry?${host}`);
    t.is(answer.status, 503);
    t.deepEqual(own(answer.headers), []);
    const tries = hostile.seen.filter((_, index) => hostile.requests[index] === `/retry?${host}`);
    t.is(tries.length, 3);
    t.deepEqual(tries.flatMap(own), []);
  }
});

test('a server that is asked about requests sees no header of ours, and adds none', async (t) => {
  for (const host of hosts) {
    const { seen } = await seenAt(t.context, host, `/http-auth?${host}`);
    t.deepEqual(own(seen), []);
    t.true(t.context.httpAuth.requests.includes(`/http-auth?${host}`));
    t.deepEqual(t.context.httpAuth.seen.flatMap(own), []);
    await seenAt(t.context, host, `/grpc-auth?${host}`);
    const asked = t.context.grpcAsked.map(({ attributes }) => attributes?.request?.http?.headers ?? {});
    t.true(asked.length > 0 && asked.every((headers) => Object.keys(headers).length > 3));
    t.deepEqual(asked.flatMap(own), []);
  }
});

test('HTTP/2 to HTTP/2: nothing of ours passes, not in headers, not in trailers, either way', async (t) => {
  for (const host of hosts) {
    const { gateway, h2Seen, h2Trailers } = t.context;
    const session = connectH2(`http://127.0.0.1:${gateway.port}`);
    t.teardown(() => session.destroy());
    const answer = await askWithTrailers(session, host, `/h2?${host}`);
    t.is(Number(answer.headers[':status']), 200);
    t.is(answer.headers['x-kept'], 'yes');
    t.deepEqual(own(answer.headers), []);
    t.is(answer.trailers['x-kept'], 'yes', 'other trailers pass');
    t.deepEqual(own(answer.trailers), []);
    t.true(h2Seen.some(({ ':path': path }) => path === `/h2?${host}`));
    t.deepEqual(h2Seen.flatMap(own), []);
    t.true(h2Trailers.some((trailers) => trailers['x-kept'] === 'yes'));
    t.deepEqual(h2Trailers.flatMap(own), []);
  }
});

thorough(test)('HTTP/3: headers of ours reach neither the backend nor the client', async (t) => {
  for (const host of hosts) {
    t.timeout(300_000);
    const { httpsPort, hostile } = t.context;
    const path = `/three?${host}`;
    const answer = await untilFits(
      'an answer by HTTP/3',
      () => sendHttp3({ host, port: httpsPort, path, headers: inLowerCase }),
      ({ status }) => status === 200,
    );
    t.deepEqual(own(answer.headers), []);
    t.is(answer.headers['x-kept'], 'yes');
    t.deepEqual(own(hostile.seen[hostile.requests.indexOf(path)] ?? forged), []);
  }
});

thorough(test)('an upgrade carries no header of ours', async (t) => {
  for (const host of hosts) {
    const { gateway, hostile } = t.context;
    const path = `/upgrade?${host}`;
    const lines = Object.entries(forged).map(([name, value]) => `${name}: ${value}\r\n`);
    await exchange(
      gateway.port,
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    t.deepEqual(own(hostile.seen[hostile.requests.indexOf(path)] ?? forged), []);
  }
});

async function askWithTrailers(session: ClientHttp2Session, host: string, path: string) {
  const stream = session.request(
    { ':method': 'POST', ':authority': host, ':path': path, ...forged },
    { waitForTrailers: true },
  );
  stream.once('wantTrailers', () => stream.sendTrailers({ 'x-gw-anything': 'forged', 'x-kept': 'yes' }));
  const headers = new Promise<IncomingHttpHeaders>((resolve) => stream.once('response', resolve));
  const trailers = new Promise<IncomingHttpHeaders>((resolve) => stream.once('trailers', resolve));
  const ended = new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject));
  stream.end('x');
  stream.resume();
  await ended;
  return { headers: await headers, trailers: await trailers };
}

test('a client cannot name model, route or budgets of a request to a provider, nor an answer come with them', async (t) => {
  const { gateway, openai } = await startAiWorld(t);
  const answer = await ask(gateway.port, {
    headers: { ...forged, 'x-gw-ai-model': 'claude-sonnet-4-5', 'x-gw-ai-stream': 'true' },
    body: chat('gpt-4o'),
  });
  t.is(answer.status, 200, answer.text);
  t.is(openai.ledger.length, 1);
  t.deepEqual(own(openai.ledger[0]?.headers ?? forged), []);
  t.deepEqual(own(answer.headers), []);
});

test('a route that changes such a header is rejected by name, and its rule answers 500', async (t) => {
  const { gateway } = t.context;
  const filters = [
    {
      type: 'ResponseHeaderModifier',
      responseHeaderModifier: { set: [{ name: 'X-GW-Upstream', value: '192.0.2.1:80' }] },
    },
  ];
  gateway.write('forging.yaml', routeObject('forging', 'forging.test', [{ filters, ...to('hostile') }]));
  await untilFits(
    'the route',
    () => send(gateway.port, { host: 'forging.test' }),
    ({ status }) => status === 500,
  );
  t.regex(
    JSON.stringify(gateway.control.graph.statusOf('HTTPRoute', 'default/forging')),
    /X-GW-Upstream: names that begin with x-gw- /,
  );
});

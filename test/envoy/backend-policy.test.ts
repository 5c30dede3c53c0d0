import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { type HttpAnswer, type HttpRequest, send, serviceObjects, startBackend } from '../support/http.ts';
import { startTcpBackend } from '../support/l4-backends.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { tcpSockets } from '../support/tcp-sockets.ts';
import { untilFits } from '../support/until.ts';

const policy = (spec: object, name = 'web') => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'BackendPolicy',
  metadata: { name },
  spec: { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], ...spec },
});

/** A gateway whose requests all go to one Service of these ports, ruled by this policy. */
async function startRuled(t: ExecutionContext, ports: readonly number[], spec: object): Promise<Standalone> {
  const world = await startStandalone({
    'web.yaml': serviceObjects('web', ports),
    'policy.yaml': [policy(spec)],
    'route.yaml': [routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
  });
  t.teardown(world.stop);
  return world;
}

const ask = ({ port }: Standalone, more: Partial<HttpRequest> = {}): Promise<HttpAnswer> =>
  send(port, { host: 'web.test', ...more });

const served = (world: Standalone, status = 200) =>
  untilFits(
    `a ${status}`,
    () => ask(world),
    (answer) => answer.status === status,
  );

interface EndpointRecord {
  readonly address: string;
  readonly healthy: boolean;
  readonly failure: string | null;
}

/** What the agent says of each endpoint: the port, and why it gets no requests. */
async function verdicts({ agentPort, json }: Standalone): Promise<Record<number, string>> {
  const { body } = await json(agentPort, '/api/v1/stats/backends');
  const records = body as unknown as { readonly name: string; readonly endpoints: readonly EndpointRecord[] }[];
  const endpoints = records.find(({ name }) => name === 'web:80')?.endpoints ?? [];
  return Object.fromEntries(
    endpoints.map(({ address, failure }) => [Number(address.split(':').at(-1)), failure ?? 'well']),
  );
}

const said = (world: Standalone, port: number, verdict: string) =>
  untilFits(
    `port ${port} to be ${verdict}`,
    () => verdicts(world),
    (all) => all[port] === verdict,
  );

/** Backends that say which one they are; health is what `/health` answers of each. */
async function startNamed(t: ExecutionContext, count: number) {
  const health = Array.from({ length: count }, () => 204);
  const backends = await Promise.all(
    health.map((_, index) =>
      startBackend(t, (request, response) => {
        response.statusCode = request.url === '/health' ? (health[index] ?? 204) : 200;
        response.end(String(index));
      }),
    ),
  );
  return { health, ports: backends.map(({ port }) => port), backends };
}

test('an endpoint that fails its health check is left out, which the agent says, and comes back', async (t) => {
  const { health, ports } = await startNamed(t, 2);
  const http = { path: '/health', expectedStatuses: [{ from: 200, to: 299 }] };
  // Of an unexpected status one is enough, and checks without an answer do not count while the machine stands still.
  const active = { interval: '1s', timeout: '1s', unhealthyThreshold: 60, http };
  const world = await startRuled(t, ports, { healthCheck: { active, panicThreshold: 0 } });
  await served(world);
  const [first = 0, second = 0] = ports;
  await said(world, first, 'well');
  health[0] = 500;
  await said(world, first, 'active_check');
  t.is((await verdicts(world))[second], 'well');
  await untilFits(
    'the control plane to say so',
    async () => JSON.stringify((await world.json(world.control.ports.layout1, '/v1/backends')).body),
    (text) => text.includes('"source":"proxy"') && text.includes('"verdict":"health_check_fails"'),
  );
  for (let sent = 0; sent < 20; sent++) t.is((await ask(world)).body, '1');
  health[1] = 500;
  await said(world, second, 'active_check');
  t.is((await served(world, 503)).body, 'no healthy upstream');
  health[0] = 200;
  health[1] = 200;
  await said(world, first, 'well');
  await untilFits(
    'the first to answer again',
    () => ask(world),
    ({ body }) => body === '0',
  );
});

test('a TCP check asks only whether there is a connection, or for bytes', async (t) => {
  const [alive] = [await startBackend(t)];
  const dead = await freePort();
  const times = { interval: '1s', timeout: '1s', unhealthyThreshold: 1 };
  const checked = (tcp: object) => ({ healthCheck: { active: { ...times, tcp }, panicThreshold: 0 } });
  const world = await startRuled(t, [alive.port, dead], checked({}));
  await said(world, dead, 'active_check');
  await said(world, alive.port, 'well');
  await served(world);
  for (let sent = 0; sent < 10; sent++) t.is((await ask(world)).status, 200);
  world.write('policy.yaml', policy(checked({ send: 'GET / HTTP/1.0\r\n\r\n', receive: 'no such thing' })));
  await said(world, alive.port, 'active_check');
  world.write('policy.yaml', policy(checked({ send: 'GET / HTTP/1.0\r\n\r\n', receive: 'HTTP/1.1 200' })));
  await said(world, alive.port, 'well');
});

test('an endpoint whose requests fail is ejected, and comes back when its time is over', async (t) => {
  const good = await startBackend(t);
  let status = 503;
  const bad = await startBackend(t, (_, response) => {
    response.statusCode = status;
    response.end();
  });
  const passive = { consecutive5xx: 2, interval: '200ms', baseEjectionTime: '4s', maxEjectionTime: '4s' };
  const world = await startRuled(t, [good.port, bad.port], { healthCheck: { passive, panicThreshold: 0 } });
  await served(world);
  await untilFits(
    'the bad one to be ejected',
    async () => {
      await ask(world);
      return await verdicts(world);
    },
    (all) => all[bad.port] === 'outlier' && all[good.port] === 'well',
  );
  // In turns every other one would be bad. It may be back for a moment, and be ejected again.
  const some = async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent < 10; sent++) statuses.push((await ask(world)).status);
    return statuses;
  };
  const answers = await untilFits('good answers only', some, (statuses) => statuses.every((each) => each === 200));
  t.is(answers.length, 10);
  status = 200;
  await said(world, bad.port, 'well');
  const before = bad.requests.length;
  await untilFits(
    'the bad one to be asked again',
    async () => (await ask(world)) && bad.requests.length,
    (count) => count > before,
  );
});

test('requests above the limits are answered 503 at once', async (t) => {
  const held: (() => void)[] = [];
  const slow = await startBackend(t, (request, response) => {
    if (request.url === '/slow') held.push(() => response.end('late'));
    else response.end('ok');
  });
  const world = await startRuled(t, [slow.port], { circuitBreaker: { maxParallelRequests: 1, maxPendingRequests: 1 } });
  await served(world);
  const first = ask(world, { path: '/slow' });
  await untilFits(
    'the first to wait',
    () => held.length,
    (count) => count === 1,
  );
  const second = await ask(world);
  t.is(second.status, 503);
  t.regex(second.body, /reset reason: overflow/);
  for (const end of held) end();
  t.is((await first).body, 'late');
  await served(world);
});

test('a hash keeps a client with its endpoint, by header, cookie or address', async (t) => {
  const { ports } = await startNamed(t, 3);
  const by = (consistentHash: object) => ({ loadBalancer: { type: 'ConsistentHash', consistentHash } });
  const world = await startRuled(t, ports, by({ type: 'Header', header: { name: 'X-User' } }));
  await served(world);
  const bodies = async (count: number, headers: (sent: number) => Record<string, string>) => {
    const found = new Set<string>();
    for (let sent = 0; sent < count; sent++) found.add((await ask(world, { headers: headers(sent) })).body);
    return found.size;
  };
  t.is(await bodies(20, () => ({ 'x-user': 'ada' })), 1);
  t.is(await bodies(60, (sent) => ({ 'x-user': `user-${sent}` })), 3);
  world.write('policy.yaml', policy(by({ type: 'Cookie', cookie: { name: 'crumb', ttl: '1h' } })));
  const given = await untilFits(
    'a cookie',
    async () => String((await ask(world)).headers['set-cookie']),
    (cookie) => cookie.startsWith('crumb='),
  );
  t.regex(given, /^crumb="[0-9a-f]+"; Max-Age=3600; Path=\/; HttpOnly$/);
  t.is(await bodies(20, () => ({ cookie: given.split(';')[0] as string })), 1);
  t.is(await bodies(60, () => ({})), 3);
  world.write('policy.yaml', policy(by({ type: 'SourceIP' })));
  await untilFits(
    'all to go to one',
    () => bodies(20, () => ({})),
    (count) => count === 1,
  );
});

test('a backend that takes too long is given up on, also where its answer has begun', async (t) => {
  const slow = await startBackend(t, (request, response) => {
    if (request.url === '/begun') response.write('half');
    else if (request.url !== '/slow') response.end('ok');
  });
  const world = await startRuled(t, [slow.port], { timeouts: { request: '2s', idle: '10s' } });
  await served(world);
  t.is((await ask(world, { path: '/slow' })).status, 504);
  await t.throwsAsync(ask(world, { path: '/begun' }), { message: /aborted|hang up/ });
});

test('a connection that does not come about in time is given up on', async (t) => {
  const port = await fullServer(t);
  const world = await startRuled(t, [port], { timeouts: { connect: '1s' } });
  const began = performance.now();
  const answer = await untilFits(
    'a connection to be given up on',
    () => ask(world),
    ({ body }) => body.includes('connection timeout'),
  );
  t.is(answer.status, 503);
  const askedAt = performance.now();
  t.is((await ask(world)).status, 503);
  // Three attempts. Without the policy each is five seconds.
  const took = performance.now() - askedAt;
  t.true(took > 900 && took < 14_500, `${took} ms, after ${askedAt - began} ms`);
});

test('silent connections to a backend are probed after the time that is asked for', async (t) => {
  const { port, requests } = await startBackend(t);
  const world = await startRuled(t, [port], { tcpKeepalive: { probes: 3, idleTime: '20m', interval: '10s' } });
  /** When each of the proxy's connections to the backend is probed next; the other ends are the backend's own sockets. */
  const probes = () =>
    tcpSockets()
      .filter(({ state, remotePort }) => state === 'established' && remotePort === port)
      .map(({ keepaliveSeconds }) => keepaliveSeconds);
  await served(world);
  // The system's own time would be two hours.
  await untilFits('a probe in 20 minutes', probes, (all) => all.some((each = 0) => each > 600 && each <= 1200));
  // Something else that makes the policy good for something, or there would be none.
  world.write('policy.yaml', policy({ timeouts: { connect: '4s' } }));
  await untilFits(
    'connections without it',
    async () => {
      await ask(world);
      return probes();
    },
    (all) => all.length > 0 && all.every((each) => each === undefined),
  );
  t.true(requests.length > 1);
});

/** A server that accepts no connection, and whose queue is full: clients get no answer. */
async function fullServer(t: ExecutionContext): Promise<number> {
  const script =
    "const s = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))";
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [text] = await once(child.stdout, 'data');
  const port = Number(text);
  child.kill('SIGSTOP');
  for (;;) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    t.teardown(() => socket.destroy());
    const isTaken = await Promise.race([once(socket, 'connect').then(() => true), setTimeout(500, false)]);
    // Where this process stood still, the event may only come now.
    if (!isTaken) await setImmediate();
    if (socket.connecting) return port;
  }
}

/** A gRPC server that only reports its health: HealthCheckResponse, SERVING or NOT_SERVING. */
async function startGrpcHealth(t: ExecutionContext, isServing: () => boolean) {
  const asked: string[] = [];
  const server = createHttp2Server((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked.push(`${request.url} ${Buffer.concat(chunks).subarray(7).toString()}`);
      response.writeHead(200, { 'content-type': 'application/grpc' });
      response.addTrailers({ 'grpc-status': '0' });
      response.end(Buffer.from([0, 0, 0, 0, 2, 8, isServing() ? 1 : 2]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

test('a gRPC server is asked by its own health service', async (t) => {
  let isServing = true;
  const { port, asked } = await startGrpcHealth(t, () => isServing);
  const active = { interval: '1s', timeout: '1s', unhealthyThreshold: 1, grpc: { service: 'shop.Cart' } };
  const web = serviceObjects('web', [port], { appProtocol: 'kubernetes.io/h2c' });
  const world = await startRuled(t, [], { healthCheck: { active, panicThreshold: 0 } });
  world.write('web.yaml', ...web);
  await served(world);
  await said(world, port, 'well');
  isServing = false;
  await said(world, port, 'active_check');
  t.true(asked.includes('/grpc.health.v1.Health/Check shop.Cart'), asked[0]);
  // Without HTTP/2 there is no such check, and the policy says so.
  world.write('web.yaml', ...serviceObjects('web', [port]));
  await said(world, port, 'well');
});

test('an endpoint that does not answer its check in time is distinguished from one that fails it', async (t) => {
  const silent = await startBackend(t, (request, response) => {
    if (request.url !== '/health') response.end('ok');
  });
  const active = { interval: '200ms', timeout: '100ms', unhealthyThreshold: 1, http: { path: '/health' } };
  const world = await startRuled(t, [silent.port], { healthCheck: { active } });
  await said(world, silent.port, 'active_check_timeout');
  // Fewer endpoints are well than the panic threshold asks for: better this one than none.
  t.is((await served(world)).body, 'ok');
});

for (const [version, start] of [
  ['V1', /^PROXY TCP4 127\.0\.0\.1 127\.0\.0\.1 \d+ \d+\r\nGET \/ HTTP\/1\.1\r\n/],
  ['V2', /^\r\n\r\n\0\r\nQUIT\n!/],
] as const) {
  test(`connections begin with a PROXY protocol header of version ${version}`, async (t) => {
    const heard: string[] = [];
    const server = createServer((socket) => {
      let text = '';
      // The header and the request may come one after the other.
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        if (!text.includes('GET / HTTP/1.1\r\n')) return;
        heard.push(text);
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const world = await startRuled(t, [port], { proxyProtocol: { version }, tcpKeepalive: { idleTime: '60s' } });
    await served(world);
    t.regex(heard.at(-1) ?? '', start);
  });
}

test('every way of choosing an endpoint reaches all of them', async (t) => {
  const { ports } = await startNamed(t, 2);
  const world = await startRuled(t, ports, { loadBalancer: { type: 'Random' } });
  const slowStart = { window: '1s', minWeightPercent: 50 };
  for (const loadBalancer of [
    { type: 'Random' },
    { type: 'LeastRequest', slowStart },
    { type: 'RoundRobin', slowStart },
  ]) {
    world.write('policy.yaml', policy({ loadBalancer }));
    const found = new Set<string>();
    await untilFits(
      'both to answer',
      async () => found.add((await ask(world)).body),
      (bodies) => bodies.has('0') && bodies.has('1'),
    );
  }
  t.deepEqual(
    world.log.filter(({ msg }) => String(msg).includes('rejected')),
    [],
  );
});

const growing = test.macro(async (t, type: 'RoundRobin' | 'LeastRequest') => {
  const windowMs = 6000;
  const { ports } = await startNamed(t, 2);
  const slowStart = { window: `${windowMs}ms` };
  const world = await startRuled(t, ports.slice(0, 1), { loadBalancer: { type, slowStart } });
  await served(world);
  // An endpoint that is new itself is no match: shares are relative.
  await setTimeout(windowMs);
  /** The share of the second endpoint in so many requests, in percent. */
  const share = async (requests: number) => {
    let second = 0;
    for (let sent = 0; sent < requests; sent++) if ((await ask(world)).body === '1') second += 1;
    return (second / requests) * 100;
  };
  const wroteAt = performance.now();
  world.write('web.yaml', ...serviceObjects('web', ports));
  await untilFits(
    'the new endpoint to be there',
    () => verdicts(world),
    (all) => ports.every((port) => all[port] === 'well'),
  );
  const cameAt = performance.now();
  const first = await share(100);
  // A machine that took half of the window for it has seen something else.
  const inTime = performance.now() - wroteAt < windowMs / 3;
  t.true(first < 35 || !inTime, `${first} %`);
  const shares = [first];
  await untilFits(
    'its full share',
    async () => {
      shares.push(await share(100));
      return shares.at(-1) as number;
    },
    (last) => last >= 40,
  );
  t.log(shares.map(Math.round).join(' '));
  t.true(performance.now() - cameAt > windowMs / 2 || !inTime, shares.join(' '));
});
test('a new endpoint gets its share little by little, in turns', growing, 'RoundRobin');
test('a new endpoint gets its share little by little, by requests under way', growing, 'LeastRequest');

test('policies come, change and go, and a rule moves to a backend that is checked, without a lost request', async (t) => {
  t.timeout(240_000);
  const { ports } = await startNamed(t, 2);
  const world = await startRuled(t, ports, { timeouts: { connect: '1s' } });
  world.write('next.yaml', ...serviceObjects('next', ports));
  await served(world);
  const statuses: number[] = [];
  let goesOn = true;
  const load = (async () => {
    while (goesOn) statuses.push((await ask(world)).status);
  })();
  const http = { path: '/health', expectedStatuses: [{ from: 204 }] };
  // Neither a check nor a request may run out of time because the machine stands still.
  const active = { interval: '1s', timeout: '1s', unhealthyThreshold: 60, http };
  const applied = (what: string) => untilFits(what, () => isCurrent(world), Boolean);
  for (const spec of [
    { healthCheck: { active, panicThreshold: 0 } },
    { healthCheck: { active, passive: {}, panicThreshold: 0 }, circuitBreaker: { maxConnections: 100 } },
    { loadBalancer: { type: 'LeastRequest' }, timeouts: { request: '60s' } },
  ]) {
    world.write('policy.yaml', policy(spec));
    await untilFits(
      'the policy to be the one that rules',
      () => world.control.graph.find('BackendPolicy', 'default/web')?.spec,
      (found) => JSON.stringify(found).includes(Object.keys(spec)[0] as string),
    );
    await applied('it to be applied');
  }
  world.remove('policy.yaml');
  await applied('no policy');
  const target = { targetRefs: [{ group: '', kind: 'Service', name: 'next' }] };
  world.write('policy.yaml', policy({ ...target, healthCheck: { active, panicThreshold: 0 } }));
  world.write('route.yaml', routeObject('web', 'web.test', [{ backendRefs: [{ name: 'next', port: 80 }] }]));
  await untilFits(
    'the checked backend to be used',
    async () => JSON.stringify((await world.json(world.agentPort, '/api/v1/stats/backends')).body),
    (text) => text.includes('next:80') && !text.includes('pending_check'),
  );
  const before = statuses.length;
  await untilFits(
    'some more requests',
    () => statuses.length,
    (count) => count > before + 100,
  );
  goesOn = false;
  await load;
  t.deepEqual(
    statuses.filter((status) => status !== 200),
    [],
  );
});

test('bytes go to a backend by the same policy, and a hash of the address keeps their client', async (t) => {
  const names = await Promise.all(['one', 'two', 'three'].map((name) => startTcpBackend(t, name)));
  const tcp = await freePort();
  const consistentHash = { type: 'SourceIP' };
  const world = await startRuled(t, names, {
    loadBalancer: { type: 'ConsistentHash', consistentHash },
    healthCheck: { active: { interval: '1s', timeout: '1s', http: {} }, panicThreshold: 0 },
  });
  world.write('tcp.yaml', {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'TCPRoute',
    metadata: { name: 'bytes' },
    spec: { parentRefs: [{ name: 'bytes' }], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] },
  });
  world.write('bytes.yaml', {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name: 'bytes' },
    spec: { gatewayClassName: 'gatewright', listeners: [{ name: 'tcp', port: tcp, protocol: 'TCP' }] },
  });
  const first = await untilFits(
    'a word of a backend',
    () => heard(tcp),
    (word) => word !== '',
  );
  for (let sent = 0; sent < 20; sent++) t.is(await heard(tcp), first);
});

/** What a connection receives before its end. */
const heard = (port: number): Promise<string> =>
  new Promise((resolve) => {
    let words = '';
    connect(port, '127.0.0.1')
      .on('data', (chunk: Buffer) => {
        words += chunk.toString();
      })
      .on('error', () => undefined)
      .once('close', () => resolve(words));
  });

test('an endpoint that knows no PROXY protocol header answers what it answers to such bytes', async (t) => {
  const { ports } = await startNamed(t, 1);
  const world = await startRuled(t, ports, { proxyProtocol: { version: 'V1' } });
  t.is((await served(world, 400)).status, 400);
});

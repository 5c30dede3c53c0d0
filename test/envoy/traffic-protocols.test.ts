import http from 'node:http';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { serviceObjects } from '../support/http.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { thorough } from '../support/repetitions.ts';
import { answerGroups } from '../support/traffic-groups.ts';
import { neighbours, spellings, startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';

/** What groups of TrafficPolicies do to calls of gRPC-Web and to WebSockets, through the running program with a real Envoy. */

const gateway = { kind: 'Gateway', name: 'edge' };

const frame = (text: string, flags = 0): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(text.length, 1);
  return Buffer.concat([head, Buffer.from(text)]);
};

/** A gRPC server that sends each message back, and says with which type it came. */
async function startEcho(t: ExecutionContext): Promise<number> {
  const server = createServer();
  server.on('stream', async (stream: ServerHttp2Stream, headers) => {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'x-came-as': String(headers['content-type']) },
      { waitForTrailers: true },
    );
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    for await (const piece of stream) stream.write(piece);
    stream.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

const grpcRoute = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GRPCRoute',
  metadata: { name: 'calls' },
  spec: {
    parentRefs: [{ name: 'edge' }],
    hostnames: ['calls.test', '*.calls.test'],
    rules: [{ name: 'all', backendRefs: [{ name: 'calls', port: 80 }] }],
  },
};

test('a fault answers calls with a status of gRPC, also where the policy has one of HTTP, and with its own no other requests', async (t) => {
  const world = await startTrafficWorld(t, answerGroups);
  const aborting = (abort: object) =>
    trafficPolicy('web', { name: 'web' }, { faults: { abort: { ...abort, percent: 100 } } });
  const answersOf = async (host: string) => {
    const call = { method: 'POST', headers: { 'content-type': 'application/grpc' } };
    const [plain, called] = [await world.ask(host), await world.ask(host, call)];
    return [plain.status, called.status, called.headers['grpc-status'] ?? ''];
  };
  await world.rule(aborting({ grpcStatus: 8 }));
  for (const host of spellings) t.deepEqual(await answersOf(host), [200, 200, '8'], host);
  const web = { method: 'POST', headers: { 'content-type': 'application/grpc-web+proto' } };
  t.is((await world.ask('a.test', web)).headers['x-came-as'], 'application/grpc-web+proto', 'which is no call of gRPC');
  for (const host of neighbours) t.deepEqual(await answersOf(host), [200, 200, ''], host);
  await world.rule(aborting({ status: 503 }));
  for (const host of spellings) t.deepEqual(await answersOf(host), [503, 200, '14'], host);
});

test('browsers call gRPC backends where a policy says so, by HTTPRoutes and by GRPCRoutes', async (t) => {
  const port = await startEcho(t);
  const [service, ...slices] = serviceObjects('calls', [port]) as [{ spec: { ports: object[] } }, ...object[]];
  const ports = service.spec.ports.map((each) => ({ ...each, appProtocol: 'kubernetes.io/h2c' }));
  const httpRoute = {
    ...grpcRoute,
    kind: 'HTTPRoute',
    metadata: { name: 'calls' },
    spec: { ...grpcRoute.spec, hostnames: ['web.test', '*.web.test'] },
  };
  const world = await startTrafficWorld(t, undefined, {
    'calls.yaml': [{ ...service, spec: { ...service.spec, ports } }, ...slices, grpcRoute, httpRoute],
  });
  const call = async (host: string, type: string, body: string) => {
    const headers = [`Host: ${host}`, `Content-Type: ${type}`, `Accept: ${type}`, `Content-Length: ${body.length}`];
    const request = rawRequest('/service/method', headers, { method: 'POST', body });
    const { status, headers: answered, rest } = await exchange(world.port, Buffer.from(request, 'latin1'));
    return { status, type: answered.get('content-type')?.[0], cameAs: answered.get('x-came-as')?.[0], rest };
  };
  const binary = frame('hello').toString('latin1');
  const hosts = ['calls.test', 'Calls.test', 'x.calls.test', 'web.test', 'x.web.test'];
  t.is((await call('calls.test', 'application/grpc-web+proto', binary)).status, 404, 'no call of gRPC');
  await world.rule(trafficPolicy('all', gateway, { grpcWeb: {} }));
  for (const host of hosts) {
    const answer = await call(host, 'application/grpc-web+proto', binary);
    t.like(answer, { status: 200, type: 'application/grpc-web+proto', cameAs: 'application/grpc' }, host);
    t.true(answer.rest.includes(binary), host);
    t.regex(answer.rest, /\x80\0\0\0.grpc-status:0/, host);
    const asText = await call(host, 'application/grpc-web-text', Buffer.from(binary, 'latin1').toString('base64'));
    t.like(asText, { status: 200, type: 'application/grpc-web-text+proto', cameAs: 'application/grpc' }, host);
  }
  t.is((await call('calls.test', 'application/json', '{}')).status, 404, 'no call of either');
  await world.rule(
    trafficPolicy('all', gateway, { grpcWeb: {} }),
    trafficPolicy('none', { kind: 'GRPCRoute', name: 'calls', sectionName: 'all' }, { disabled: ['grpcWeb'] }),
  );
  t.is((await call('x.calls.test', 'application/grpc-web+proto', binary)).status, 404);
  t.is((await call('x.web.test', 'application/grpc-web+proto', binary)).status, 200);
});

/** Accepts every change of the protocol, and says how many bytes came after it once there are 2048. */
function createUpgrading(): http.Server {
  return http.createServer().on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    let length = 0;
    socket.on('data', (piece: Buffer) => {
      length += piece.length;
      if (length >= 2048) socket.end(`${length}!`);
    });
    socket.on('error', () => {});
  });
}

test('a WebSocket opens at once though requests are kept until they are complete', async (t) => {
  const server = createUpgrading();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const route = {
    ...grpcRoute,
    kind: 'HTTPRoute',
    metadata: { name: 'sockets' },
    spec: { ...grpcRoute.spec, hostnames: ['sockets.test'], rules: [{ backendRefs: [{ name: 'sockets', port: 80 }] }] },
  };
  const { port: backend } = server.address() as AddressInfo;
  const world = await startTrafficWorld(t, undefined, {
    'sockets.yaml': [...serviceObjects('sockets', [backend]), route],
  });
  await world.rule(trafficPolicy('all', gateway, { buffering: { request: { maxBytes: '1k' } } }));
  const answer = async () => {
    const socket = connect(world.port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.write(
      'GET / HTTP/1.1\r\nHost: sockets.test\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    let text = '';
    for await (const piece of socket) {
      text += piece;
      if (text.endsWith('\r\n\r\n')) socket.write('x'.repeat(2048));
      if (text.endsWith('!')) break;
    }
    return text;
  };
  t.regex(await answer(), /^HTTP\/1\.1 101 .*2048!$/s);
  await world.rule(trafficPolicy('all', gateway, { requestBody: { maxBytes: '1k' } }));
  t.regex(await answer(), /^HTTP\/1\.1 101 [^!]*\r\n\r\n$/s, 'which counts what comes through it');
});

thorough(test)('admission that a Gateway asks for judges each route by itself', async (t) => {
  const world = await startTrafficWorld(t, answerGroups);
  const admission = { successRate: 100, minRequestsPerSecond: 0, maxRejectPercent: 99, window: '10m' };
  await world.rule(trafficPolicy('all', gateway, { admission }));
  const statusesOf = async (host: string, headers: Record<string, string>) => {
    const statuses: number[] = [];
    for (let count = 0; count < 100; count++) statuses.push((await world.ask(host, { headers })).status);
    return new Set(statuses);
  };
  for (const host of ['a.test', 'x.w.test']) t.true((await statusesOf(host, { 'x-fail': 'yes' })).has(503), host);
  t.deepEqual(await statusesOf('n.test', {}), new Set([200]));
});

thorough(test)('the cookie of a session stays as it is where a policy changes those of backends', async (t) => {
  const route = {
    ...grpcRoute,
    kind: 'HTTPRoute',
    metadata: { name: 'sticky' },
    spec: {
      ...grpcRoute.spec,
      hostnames: ['sticky.test', '*.sticky.test'],
      rules: [{ sessionPersistence: { cookie: { name: 'here' } }, backendRefs: [{ name: 'web', port: 80 }] }],
    },
  };
  const world = await startTrafficWorld(t, answerGroups, { 'sticky.yaml': [route] });
  await world.rule(trafficPolicy('all', gateway, { responseCookies: { sameSite: 'None', secure: true } }));
  for (const host of ['sticky.test', 'x.sticky.test']) {
    const { 'set-cookie': cookies = [] } = (await world.ask(host)).headers;
    t.true(cookies.includes('a=1; Path=/app/x; HttpOnly; SameSite=None; Secure'), host);
    t.regex(cookies.find((cookie) => cookie.startsWith('here=')) ?? '', /^here=[^;]+; .*SameSite=Strict$/, host);
  }
});

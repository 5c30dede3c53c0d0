import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { gatewayWithDataPlane, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/** Metrics that a real Envoy sends by itself, to receivers that read the bytes. */

const patient = 240_000;

interface Receiver {
  readonly port: number;
  readonly text: () => string;
}

async function startUdp(t: ExecutionContext): Promise<Receiver> {
  let text = '';
  const socket = createSocket('udp4', (message) => {
    text += `${message.toString('latin1')}\n`;
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return { port: socket.address().port, text: () => text };
}

async function startTcp(t: ExecutionContext): Promise<Receiver> {
  let text = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, text: () => text };
}

/** A collector: it reads what comes to OTLP's method for metrics, and to no other. */
async function startCollector(t: ExecutionContext): Promise<Receiver> {
  let text = '';
  const server = createHttp2Server();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream, headers) => {
    const isExport = headers[':path'] === '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';
    stream.on('data', (bytes: Buffer) => {
      if (isExport) text += bytes.toString('latin1');
    });
    stream.on('error', () => undefined);
    stream.once('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': isExport ? '0' : '12' }));
      stream.end(isExport ? Buffer.alloc(5) : undefined);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, text: () => text };
}

async function startSending(t: ExecutionContext, sinks: readonly object[], more: object = {}): Promise<Standalone> {
  const port = await freePort();
  const web = await startBackend(t);
  const metrics = sinks.length > 0 && { metrics: { flushInterval: '5s', sinks } };
  const world = await startStandalone({
    'gateway.yaml': gatewayWithDataPlane(port, { drainTime: '1s', ...metrics, ...more }),
    'web.yaml': serviceObjects('web', [web.port]),
    'route.yaml': [routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
  });
  t.teardown(world.stop);
  await untilFits(
    'a 200',
    () => send(port, { host: 'web.test' }).catch(() => ({ status: 0 })),
    ({ status }) => status === 200,
  );
  return { ...world, port };
}

const arrives = (name: string, { text }: Receiver, pattern: RegExp) =>
  until(`${name}: ${pattern}`, () => pattern.test(text()));

test('receivers of all kinds get the metrics of requests, each under its own prefix', async (t) => {
  t.timeout(patient);
  const [udp, tcp, dog, collector] = [await startUdp(t), await startTcp(t), await startUdp(t), await startCollector(t)];
  const host = '127.0.0.1';
  const world = await startSending(t, [
    { statsd: { host, port: udp.port, prefix: 'by.udp' } },
    { statsd: { host, port: tcp.port, protocol: 'TCP' } },
    { dogStatsd: { host, port: dog.port, prefix: 'dogs' } },
    { otlp: { host, port: collector.port, prefix: 'edge' } },
  ]);
  await arrives('StatsD by UDP', udp, /^by\.udp\.http\.[^|]*downstream_rq_2xx:\d+\|c$/m);
  await arrives('StatsD by TCP', tcp, /^envoy\.http\.[^|]*downstream_rq_2xx:\d+\|c$/m);
  await arrives('DogStatsD', dog, /^dogs\.http\.downstream_rq_xx:\d+\|c\|#.*envoy[._]response_code_class:2/m);
  await arrives('OTLP', collector, /edge\.http\.downstream_rq_xx/);
  // Who reads them at the agent finds them there too.
  const { status, body } = await send(world.agentPort, {
    host: `127.0.0.1:${world.agentPort}`,
    path: '/api/v1/metrics',
  });
  t.is(status, 200);
  t.regex(body, /^envoy_http_downstream_rq_xx\{.*\} [1-9]/m);
});

thorough(test)('a receiver that is not there costs no request, and gets what there is when it comes', async (t) => {
  t.timeout(patient);
  const [gone, udp] = [await freePort(), await startUdp(t)];
  const sinks = [
    { otlp: { host: '127.0.0.1', port: gone } },
    { statsd: { host: '127.0.0.1', port: gone, protocol: 'TCP' } },
    { statsd: { host: '127.0.0.1', port: udp.port } },
  ];
  const { port } = await startSending(t, sinks);
  await arrives('the one that is there', udp, /downstream_rq_2xx:\d+/);
  for (let request = 0; request < 20; request++) t.is((await send(port, { host: 'web.test' })).status, 200);
});

thorough(test)('a receiver on the node has the address that the pod is given', async (t) => {
  t.timeout(patient);
  const udp = await startUdp(t);
  process.env.GATEWRIGHT_NODE_ADDRESS = '127.0.0.1';
  t.teardown(() => delete process.env.GATEWRIGHT_NODE_ADDRESS);
  await startSending(t, [{ dogStatsd: { node: true, port: udp.port } }]);
  await arrives('DogStatsD', udp, /^envoy\.http\.downstream_rq_xx:/m);
  t.pass();
});

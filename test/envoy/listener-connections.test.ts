import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { startBackend } from '../support/http.ts';
import { gateway, httpRoute, ownObject } from '../support/objects.ts';
import { patienceMs, sayHello } from '../support/silent-http2.ts';
import { until, untilFits } from '../support/until.ts';

/** When connections of clients end, and what they may hold, by ListenerPolicies with a real Envoy. */

const target = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };
const listenerPolicy = (spec: object) => ownObject('ListenerPolicy', 'edge', { targetRefs: [target], ...spec });

async function startRuled(t: ExecutionContext, spec: object, answer: Parameters<typeof startBackend>[1]) {
  const web = await startBackend(t, answer);
  const { envoy, apply } = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    listenerPolicy(spec),
    ...backend('web', web.port),
    httpRoute('web', { hostnames: ['web.test'], rules: refs({ web: 1 }) as never }),
  );
  return { apply, envoy, port: await envoy.port('http/80') };
}

test('a client of HTTP/2 that answers no ping in time is let go', async (t) => {
  // Without `timeout` it would be half of the interval: less than 5 s in all, as a ping is late by 15 % at most.
  const { port } = await startRuled(t, { http2: { keepalive: { interval: '3s', timeout: '2900ms' } } }, undefined);
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  const began = performance.now();
  sayHello(socket, 'client');
  await patienceMs(socket, 'client');
  // From before the first ping was due: when we see the ping is up to our own processor.
  const lasted = performance.now() - began;
  t.true(lasted > 5500, `${lasted} ms`);
});

test('a client that reads nothing has as many bytes waiting for it as a policy says', async (t) => {
  const mebibyte = 1 << 20;
  // Far more than what sockets of the system hold by themselves.
  const body = Buffer.alloc(48 * mebibyte);
  let taken = 0;
  const { port, apply, envoy } = await startRuled(t, { limits: { bufferBytes: 64 * mebibyte } }, (_, response) => {
    response.end(body, () => {
      taken += 1;
    });
  });
  const ask = () => {
    const socket = connect(port, '127.0.0.1').pause();
    t.teardown(() => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: web.test\r\n\r\n');
    return socket;
  };
  ask();
  await until('the proxy to have it all', () => taken === 1);
  await apply(listenerPolicy({ limits: { bufferBytes: 1024 } }));
  const pauses = () => envoy.stat('cluster.default/web/80.upstream_flow_control_paused_reading_total');
  const before = await pauses();
  const slow = ask();
  await untilFits('the backend to be paused', pauses, (count) => count > before);
  t.is(taken, 1);
  slow.resume();
  await until('the rest', () => taken === 2);
});

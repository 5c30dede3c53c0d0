import { createServer } from 'node:net';
import test from 'ava';
import { backend } from '../support/graph-proxy.ts';
import { type HoldingBackend, startHolding } from '../support/holding-backend.ts';
import { send } from '../support/http.ts';
import { listening } from '../support/listening.ts';
import { endpointSlice, service } from '../support/objects.ts';
import { policy, startRuled } from '../support/ruled-backend.ts';
import { patienceMs, sayHello } from '../support/silent-http2.ts';
import { until, untilFits } from '../support/until.ts';

/** How many connections to backends there are, and which of them end, by BackendPolicies with a real Envoy. */

const http2Service = service('web', [{ port: 80, name: 'p80', appProtocol: 'kubernetes.io/h2c' }] as never);

/** Sends a request that its backend holds. */
const hold = (port: number): Promise<number> =>
  send(port, { host: 'web.test', path: '/held' }).then(
    ({ status }) => status,
    () => 0,
  );

const release = ({ held }: HoldingBackend): void => {
  for (const request of held.splice(0)) request.end();
};

test('the next requests have connections at endpoints that were never asked', async (t) => {
  const [one, two] = [await startHolding(t), await startHolding(t)];
  const { port, apply } = await startRuled(t, { timeouts: { connect: '4s' } }, [
    ...backend('web', one.port),
    endpointSlice('web', ['127.0.0.1'], { port: two.port, suffix: '2' }),
  ]);
  const connections = () => one.connections.size + two.connections.size;
  const answers = [hold(port)];
  await untilFits('the first request', connections, (count) => count > 0);
  t.is(connections(), 1, 'no policy, no connection ahead');
  await apply(policy({ connection: { preconnectNextPercent: 200 } }));
  answers.push(hold(port));
  await untilFits('one connection more than requests', connections, (count) => count === 3);
  await untilFits(
    'both requests',
    () => one.held.length + two.held.length,
    (count) => count === 2,
  );
  t.is(connections(), 3);
  release(one);
  release(two);
  t.deepEqual(await Promise.all(answers), [200, 200]);
});

test('a connection carries no more requests than a policy says', async (t) => {
  const web = await startHolding(t);
  const { served, ask, apply } = await startRuled(
    t,
    { circuitBreaker: { maxRequestsPerConnection: 1 } },
    backend('web', web.port),
  );
  await served();
  const before = web.connections.size;
  for (let sent = 0; sent < 4; sent++) t.is((await ask()).status, 200);
  t.is(web.connections.size, before + 4);
  await apply(policy({ circuitBreaker: { maxRequestsPerConnection: 4 } }));
  // The first one is the first of a new connection: those of before are closed.
  const then = web.connections.size;
  for (let sent = 0; sent < 4; sent++) t.is((await ask()).status, 200);
  // Envoy has a pool for each of its two threads.
  t.true(web.connections.size - then <= 2, `${web.connections.size - then} connections`);
});

test('a connection of HTTP/2 carries no more requests at a time than a policy says', async (t) => {
  const web = await startHolding(t, 'HTTP/2');
  const { port, served } = await startRuled(t, { http2: { maxConcurrentStreams: 1 } }, [
    http2Service,
    endpointSlice('web', ['127.0.0.1'], { port: web.port }),
  ]);
  await served();
  const answers = Array.from({ length: 3 }, () => hold(port));
  await untilFits(
    'all requests',
    () => web.held.length,
    (count) => count === 3,
  );
  t.is(new Set(web.held.map(({ connection }) => connection)).size, 3);
  release(web);
  t.deepEqual(await Promise.all(answers), [200, 200, 200]);
});

test('a connection of HTTP/2 whose backend answers no ping in time is closed', async (t) => {
  const waits: { readonly ms: Promise<number> }[] = [];
  const silent = createServer((socket) => {
    sayHello(socket, 'server');
    waits.push({ ms: patienceMs(socket, 'server').catch(() => 0) });
  });
  // Without `timeout` it would be half of the interval.
  const { port } = await startRuled(t, { http2: { keepalive: { interval: '3s', timeout: '2900ms' } } }, [
    http2Service,
    endpointSlice('web', ['127.0.0.1'], { port: await listening(t, silent) }),
  ]);
  // A machine that stands still sees a ping late, so the longest of some waits counts.
  let waited = 0;
  for (let at = 0; at < 3 && waited <= 2000; at++) {
    void hold(port);
    const { ms } = await until('a connection', () => waits[at]);
    waited = Math.max(waited, await ms);
  }
  t.true(waited > 2000, `${waited} ms`);
});

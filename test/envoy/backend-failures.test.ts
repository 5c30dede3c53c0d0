import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { backend } from '../support/graph-proxy.ts';
import { send, startBackend } from '../support/http.ts';
import { endpointSlice, ownObject, service } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { startRuled } from '../support/ruled-backend.ts';
import { untilFits } from '../support/until.ts';

/** What BackendPolicies do about backends that fail, with a real Envoy. */

thorough(test)('an endpoint of which too many requests fail is ejected', async (t) => {
  const good = await startBackend(t, (_, response) => response.end('good'));
  let count = 0;
  const bad = await startBackend(t, (_, response) => {
    count += 1;
    // Never two in a row, so that only their share counts.
    response.statusCode = count % 2 === 0 ? 500 : 200;
    response.end('bad');
  });
  const passive = {
    consecutive5xx: 0,
    interval: '200ms',
    baseEjectionTime: '1h',
    maxEjectionTime: '1h',
    failurePercentage: { threshold: 40, minRequests: 2, minEndpoints: 1 },
  };
  const { ask, served, envoy } = await startRuled(t, { healthCheck: { passive, panicThreshold: 0 } }, [
    service('web', [{ port: 80, name: 'p80' }] as never),
    endpointSlice('web', ['127.0.0.1'], { port: good.port, suffix: '1' }),
    endpointSlice('web', ['127.0.0.1'], { port: bad.port, suffix: '2' }),
  ]);
  await served();
  await untilFits(
    'an ejection',
    async () => {
      await ask();
      return envoy.stat('cluster.default/web/80.outlier_detection.ejections_enforced_failure_percentage');
    },
    (ejections) => ejections > 0,
  );
  const answers = [];
  for (let sent = 0; sent < 6; sent++) answers.push((await ask()).body);
  t.deepEqual(new Set(answers), new Set(['good']));
});

/** An endpoint beside a good one, under a policy that ejects at once and for good. */
async function startEjecting(t: ExecutionContext, passive: object, badPort: number) {
  const good = await startBackend(t, (_, response) => response.end('good'));
  const times = { interval: '200ms', baseEjectionTime: '1h', maxEjectionTime: '1h' };
  const world = await startRuled(t, { healthCheck: { passive: { ...times, ...passive }, panicThreshold: 0 } }, [
    service('web', [{ port: 80, name: 'p80' }] as never),
    endpointSlice('web', ['127.0.0.1'], { port: good.port, suffix: '1' }),
    endpointSlice('web', ['127.0.0.1'], { port: badPort, suffix: '2' }),
  ]);
  await world.served();
  const ejections = (by: string) =>
    world.envoy.stat(`cluster.default/web/80.outlier_detection.ejections_enforced_${by}`);
  const untilEjected = (by: string) =>
    untilFits(
      'an ejection',
      async () => {
        await world.ask();
        return ejections(by);
      },
      (count) => count > 0,
    );
  const answers = async (count: number) => {
    const bodies: string[] = [];
    for (let sent = 0; sent < count; sent++) bodies.push((await world.ask()).body);
    return [...new Set(bodies)].sort();
  };
  return { ejections, untilEjected, answers };
}

thorough(test)('an endpoint is ejected for errors of gateways alone, where a policy says so', async (t) => {
  let status = 500;
  const bad = await startBackend(t, (_, response) => response.writeHead(status).end('bad'));
  const passive = { consecutive5xx: 0, consecutiveGatewayErrors: 2 };
  const { ejections, untilEjected, answers } = await startEjecting(t, passive, bad.port);
  t.deepEqual(await answers(12), ['bad', 'good']);
  t.is(await ejections('consecutive_gateway_failure'), 0);
  status = 502;
  await untilEjected('consecutive_gateway_failure');
  t.deepEqual(await answers(6), ['good']);
});

thorough(test)('an endpoint is ejected for connections that fail alone, where a policy says so', async (t) => {
  const passive = { consecutive5xx: 0, consecutiveLocalOriginFailures: 2 };
  const { untilEjected, answers } = await startEjecting(t, passive, await freePort());
  await untilEjected('consecutive_local_origin_failure');
  t.deepEqual(await answers(6), ['good']);
});

test('more retries at once than a policy allows are not sent', async (t) => {
  const held: (() => void)[] = [];
  const counts = new Map<string, number>();
  const web = await startBackend(t, ({ url = '' }, response) => {
    const count = (counts.get(url) ?? 0) + 1;
    counts.set(url, count);
    if (count === 1 && url !== '/') response.writeHead(503).end();
    else if (url === '/held') held.push(() => response.end());
    else response.end();
  });
  const retrying = ownObject('TrafficPolicy', 'retries', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web' }],
    retry: { attempts: 1, codes: [503], backoff: { base: '1ms' } },
  });
  const { port, served } = await startRuled(t, { circuitBreaker: { maxParallelRetries: 1 } }, [
    ...backend('web', web.port),
    retrying,
  ]);
  await served();
  const statusOf = async (path: string) => (await send(port, { host: 'web.test', path })).status;
  t.is(await statusOf('/first'), 200);
  const first = statusOf('/held');
  await untilFits(
    'a retry to be under way',
    async () => held.length,
    (count) => count === 1,
  );
  t.is(await statusOf('/beyond'), 503);
  t.is(counts.get('/beyond'), 1);
  held[0]?.();
  t.is(await first, 200);
  t.is(await statusOf('/after'), 200);
});

thorough(test)(
  'a try that takes too long is followed by another where a policy says so of resets or errors of gateways',
  async (t) => {
    const web = await startBackend(t, ({ url }, response) => {
      if (url === '/') response.end();
    });
    const retrying = (more: object) =>
      ownObject('TrafficPolicy', 'retries', {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web' }],
        retry: { attempts: 2, perTry: '50ms', backoff: { base: '1ms' }, ...more },
      });
    const { port, served, envoy, apply } = await startRuled(t, {}, backend('web', web.port));
    await served();
    const cutOff = () => envoy.stat('cluster.default/web/80.upstream_rq_per_try_timeout');
    const cases: [object, number][] = [
      [{}, 1],
      [{ codes: [503, 504] }, 1],
      [{ events: ['Reset'] }, 3],
      [{ codes: [503], events: ['GatewayError'] }, 3],
    ];
    for (const [more, tries] of cases) {
      await apply(retrying(more));
      const before = await cutOff();
      t.is((await send(port, { host: 'web.test', path: '/slow' })).status, 504);
      t.is((await cutOff()) - before, tries, JSON.stringify(more));
    }
  },
);

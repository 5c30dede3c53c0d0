import test from 'ava';
import { loadConfig, SecretText } from '../../src/config/index.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { request } from '../support/request.ts';
import { startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

test('a stranger at the admin API makes no span, whatever trace context the requests have', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const gateway = await startStandalone(
    {},
    {
      config: {
        tracing: { ...loadConfig(undefined, {}).tracing, otlpUrl: receiver.url },
        adminAuth: { protect: [], bearerToken: new SecretText('mine') },
        outgoing: { allowLoopback: true },
      },
    },
  );
  t.teardown(() => gateway.stop());
  await until('the first snapshot', async () => (await gateway.get('any.example.com')).status === 404);
  const ask = async (path: string, headers: Record<string, string>) => {
    const { status } = await request(`http://127.0.0.1:${gateway.control.ports.layout1}${path}`, { headers });
    return status;
  };
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  for (let at = 0; at < 50; at++) {
    t.is(await ask(`/v1/routes?at=${at}`, { traceparent }), 401);
    t.is(await ask('/v1/routes', { traceparent, authorization: 'Bearer guessed' }), 401);
    await ask(`/${'x'.repeat(4000)}`, { traceparent });
  }
  t.is(await ask('/v1/gateways', { authorization: 'Bearer mine', traceparent: `00-zz-${'-'.repeat(900)}` }), 200);
  const requests = () => receiver.spans.filter(({ span }) => span.kind === 2).map(({ span }) => span.name);
  await until('the span of the request with a token', () => requests().length > 0);
  t.deepEqual(requests(), ['GET /v1/gateways']);
});

import test from 'ava';
import { backend, refs, startWorld } from '../support/graph-proxy.ts';
import { startGrpcCollector } from '../support/grpc-collector.ts';
import { send, startBackend } from '../support/http.ts';
import { gateway, httpRoute, ownObject, xObject } from '../support/objects.ts';
import { thorough } from '../support/repetitions.ts';
import { untilFits } from '../support/until.ts';

/** Spans by the Gateway API's XTelemetryPolicy, with a real Envoy and a receiver of OTLP. */

const target = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };
const telemetry = (more: object) =>
  xObject('XTelemetryPolicy', 'spans', {
    targetRefs: [target],
    tracing: {
      mode: 'Enabled',
      provider: { backendRef: { name: 'otel', port: 80 }, headers: [{ name: 'X-Token', value: 'seven' }] },
      ...more,
    },
  });

const traces = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

test('requests of a Gateway have spans with names, attributes and a share of its policy, unless a ListenerPolicy says more', async (t) => {
  t.timeout(300_000);
  const [web, otel] = [await startBackend(t), await startGrpcCollector(t)];
  const world = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    ...backend('web', web.port),
    ...backend('otel', otel.port),
    httpRoute('web', { hostnames: ['web.test', '*.wild.test'], rules: refs({ web: 1 }) as never }),
    telemetry({ samplingRate: { numerator: 0 } }),
  );
  const port = await world.envoy.port('http/80');
  const ask = async (path: string) => {
    for (const host of ['web.test', 'late.wild.test'])
      await send(port, { host, path, headers: { 'x-tenant': 'tenant-b', connection: 'close' } });
  };
  const heard = () => otel.received.get(traces) ?? '';
  await ask('/unsampled');
  await world.apply(
    telemetry({
      serviceName: 'shop-edge',
      spanName: 'shop basket',
      attributes: [
        { name: 'team', sourceType: 'Literal', literalValue: 'crew-a' },
        { name: 'tenant', sourceType: 'Header', headerName: 'X-Tenant' },
        { name: 'verb', sourceType: 'Attribute', attributeKey: 'http.request.method' },
        { name: 'code', sourceType: 'Attribute', attributeKey: 'http.response.status_code' },
        { name: 'where', sourceType: 'Attribute', attributeKey: 'url.path' },
      ],
    }),
  );
  await untilFits(
    'spans of both hosts',
    async () => {
      await ask('/basket?card=1');
      return heard();
    },
    (text) => text.includes('web.test') && text.includes('late.wild.test'),
  );
  const text = heard();
  for (const word of ['shop-edge', 'shop basket', 'crew-a', 'tenant-b', 'verb', '/basket'])
    t.true(text.includes(word), word);
  t.regex(text, /verb[^a-zA-Z]+GET/);
  t.regex(text, /code[^a-z0-9]+200/);
  t.regex(text, /where[^a-z/]+\/basket[^?]/);
  t.is(otel.headers.find(({ ':path': path }) => path === traces)?.['x-token'], 'seven');
  t.false(text.includes('/unsampled'), 'a share of nothing');
  await world.apply(
    ownObject('ListenerPolicy', 'own', {
      targetRefs: [target],
      tracing: { otlp: { backendRef: { name: 'otel', port: 80 } }, spanName: 'more specific' },
    }),
  );
  await untilFits(
    'spans by the ListenerPolicy',
    async () => {
      await ask('/own');
      return heard();
    },
    (all) => all.includes('more specific'),
  );
});

thorough(test)(
  'a client that decided against spans has none, and of those who decided for them the share of the policy has',
  async (t) => {
    t.timeout(300_000);
    const [web, otel] = [await startBackend(t), await startGrpcCollector(t)];
    const share = (numerator: number, parentBasedSampling: object = {}) =>
      telemetry({
        samplingRate: { numerator, denominator: 1000 },
        parentBasedSampling: { mode: 'Enabled', ...parentBasedSampling },
      });
    const world = await startWorld(
      t,
      gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
      ...backend('web', web.port),
      ...backend('otel', otel.port),
      httpRoute('web', { hostnames: ['web.test'], rules: refs({ web: 1 }) as never }),
      share(0),
    );
    const port = await world.envoy.port('http/80');
    const ask = (path: string, flags?: string) =>
      send(port, {
        host: 'web.test',
        path,
        headers: flags === undefined ? {} : { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}` },
      });
    await ask('/unsampled', '01');
    await world.apply(share(1000, { samplingRate: { numerator: 1000, denominator: 1000 } }));
    const heard = () => otel.received.get(traces) ?? '';
    await untilFits(
      'spans',
      async () => {
        await ask('/declined', '00');
        await ask('/decided', '01');
        await ask('/undecided');
        return heard();
      },
      (text) => text.includes('/decided') && text.includes('/undecided'),
    );
    t.notRegex(heard(), /unsampled|declined/);
  },
);

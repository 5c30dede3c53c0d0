import test, { type ExecutionContext } from 'ava';
import type { Condition } from '../../src/gateway-api/index.ts';
import { startGrpcCollector } from '../support/grpc-collector.ts';
import { startBackend } from '../support/http.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, listener, service, xObject } from '../support/objects.ts';
import { pause } from '../support/pace.ts';
import { PoisonWorld, watch } from '../support/poison-world.ts';
import { until } from '../support/until.ts';

/* Tenants who may write XTelemetryPolicies in one namespace. */

const gatewayGroup = 'gateway.networking.k8s.io';
const traces = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

const spans = (name: string, tracing: object, meta: { readonly namespace: string; readonly generation?: number }) =>
  xObject(
    'XTelemetryPolicy',
    name,
    { targetRefs: [{ group: gatewayGroup, kind: 'Gateway', name: 'edge' }], tracing: { mode: 'Enabled', ...tracing } },
    meta,
  );

async function startSpanWorld(t: ExecutionContext) {
  const [web, otel] = [await startBackend(t), await startGrpcCollector(t)];
  const world = await PoisonWorld.start(t, {}, [80]);
  const place = { namespace: 'observed' };
  world.put(gatewayClass(), gateway('edge', [listener({ name: 'http', port: 80 })]));
  world.put(service('web', [80]), endpointSlice('web', ['127.0.0.1'], { port: web.port }));
  world.put(service('otel', [80], place), endpointSlice('otel', ['127.0.0.1'], { port: otel.port, ...place }));
  world.put(service('own', [80]), endpointSlice('own', ['127.0.0.1'], { port: otel.port }));
  world.put(
    httpRoute('web', {
      parentRefs: [{ name: 'edge' }],
      hostnames: ['web.test'],
      rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
    } as never),
  );
  const condition = (policy: string, type: string): Condition | undefined => {
    const status = world.graph.statusOf('XTelemetryPolicy', policy);
    return status && 'ancestors' in status
      ? status.ancestors[0]?.conditions.find((each) => each.type === type)
      : undefined;
  };
  return { world, condition, heard: () => otel.received.get(traces) ?? '' };
}

const own = { provider: { backendRef: { name: 'own', port: 80 } } };

test('a tenant’s telemetry policy is for no Gateway of another namespace, and sends nothing to a receiver that did not grant it', async (t) => {
  const { world, condition, heard } = await startSpanWorld(t);
  await world.startEnvoy('one');
  await world.answers('web.test', '/');
  const foreign = { provider: { backendRef: { name: 'otel', namespace: 'observed', port: 80 } } };
  world.put(spans('his', { ...foreign, serviceName: 'of-mallory' }, { namespace: 'mal' }));
  world.put(spans('ungranted', { ...foreign, serviceName: 'ungranted' }, { namespace: 'default' }));
  const said = await world.awaits('the receiver', () => condition('default/ungranted', 'ResolvedRefs'), 'False');
  t.is(said.reason, 'RefNotPermitted');
  t.is(world.graph.statusOf('XTelemetryPolicy', 'mal/his'), undefined);
  await world.answers('web.test', '/before');
  world.put(spans('ungranted', { ...own, serviceName: 'granted' }, { namespace: 'default' }));
  await until('spans of the policy that may', async () => {
    await world.answers('web.test', '/after');
    await pause();
    return heard().includes('granted');
  });
  for (const word of ['of-mallory', 'ungranted', '/before']) t.false(heard().includes(word), word);
});

const long = (letters: string, length: number) => letters.repeat(Math.ceil(length / letters.length)).slice(0, length);

/** What the definition lets through, at its ends. */
const extremes: readonly object[] = [
  { samplingRate: { numerator: 0, denominator: 1 } },
  { samplingRate: { numerator: 1, denominator: 2_147_483_647 } },
  { samplingRate: { numerator: 2_147_483_647, denominator: 2_147_483_647 } },
  { spanName: long('a.:/- ', 255) },
  { spanName: 'x' },
  {
    attributes: [{ name: long('Az0_.:/-', 256), sourceType: 'Literal', literalValue: long('%REQ(x)% \r\n\0"é', 1024) }],
  },
  { attributes: [{ name: 'a', sourceType: 'Literal', literalValue: '%' }] },
  { attributes: [{ name: 'a', sourceType: 'Header', headerName: long("!#$%&'*+-.^_`|~Az0", 256) }] },
  { attributes: [{ name: 'a', sourceType: 'Header', headerName: '%' }] },
  {
    attributes: Array.from({ length: 500 }, (_, at) => ({
      name: `a${at}`,
      sourceType: 'Attribute',
      attributeKey: 'url.path',
    })),
  },
  ...['host', 'te', 'content-length', 'transfer-encoding', 'grpc-timeout', 'x-bin', "!#$%&'*+-.^_`|~"].map((name) => ({
    provider: { ...own.provider, headers: [{ name, value: 'a' }] },
  })),
  { provider: { ...own.provider, headers: [{ name: 'a', value: long('!~', 4096) }] } },
  {
    provider: {
      ...own.provider,
      headers: Array.from({ length: 16 }, (_, at) => ({ name: `x-${at}`, value: '"\\$(x)' })),
    },
  },
];

test('telemetry policies at the ends of all that they may say close no port and end no proxy', async (t) => {
  const { world, condition } = await startSpanWorld(t);
  const envoy = await world.startEnvoy('one');
  await world.answers('web.test', '/');
  const watching = watch(world, [['web.test', '/']]);
  for (const [at, extreme] of extremes.entries()) {
    const serviceName = `service-${at}-end`;
    world.put(spans('own', { ...own, ...extreme, serviceName }, { namespace: 'default', generation: at + 1 }));
    await until(`${JSON.stringify(extreme).slice(0, 200)} to be in force`, async () => {
      await pause();
      return JSON.stringify(await envoy.admin('/config_dump?resource=dynamic_listeners')).includes(serviceName);
    });
    t.is(condition('default/own', 'Accepted')?.status, 'True');
    t.true(envoy.running, envoy.log().slice(-2000));
  }
  const { wrong, asked } = await watching.stop();
  t.deepEqual(wrong, [], `of ${asked}`);
  t.deepEqual(
    world.events.filter(({ kind }) => kind === 'nacked'),
    [],
  );
});

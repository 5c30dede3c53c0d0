import test, { type ExecutionContext } from 'ava';
import { type Config, loadConfig } from '../../src/config/index.ts';
import { hex, type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { TestProxy } from '../support/replica.ts';
import { request } from '../support/request.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

const routeTypes = [
  'type.googleapis.com/envoy.config.listener.v3.Listener',
  'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  'type.googleapis.com/envoy.config.route.v3.ScopedRouteConfiguration',
];
const traceId = 'a'.repeat(32);
const parentId = 'b'.repeat(16);

interface World {
  readonly receiver: OtlpReceiver;
  readonly gateway: Standalone;
  named(name: string): readonly ReceivedSpan[];
}

async function start(t: ExecutionContext, more: Partial<Config['tracing']> = {}): Promise<World> {
  const receiver = await startOtlpReceiver(t);
  const config = {
    tracing: { ...loadConfig(undefined, {}).tracing, otlpUrl: receiver.url, ...more },
    outgoing: { allowLoopback: true },
  };
  const gateway = await startStandalone({}, { config });
  t.teardown(() => gateway.stop());
  return { receiver, gateway, named: (name) => receiver.spans.filter(({ span }) => span.name === name) };
}

/** The whole of the route's change: first span, and those below by name. */
async function traceOfRoute({ receiver, named }: World, name: string) {
  const changeOf = () =>
    named('change').find(({ span }) => JSON.stringify(changedIn(span)).includes(`HTTPRoute default/${name}`));
  await until('the change', () => changeOf() !== undefined);
  const change = changeOf() as ReceivedSpan;
  const below = () => receiver.spans.filter(({ span }) => hex(span.parentSpanId) === hex(change.span.spanId));
  await until('all proxies to have it', () => below().some(({ span }) => span.name === 'converge'));
  return { change, below: below() };
}

const changedIn = ({ attributes }: ReceivedSpan['span']): readonly string[] => {
  const value = attributes.find(({ key }) => key === 'gatewright.changed')?.value?.value;
  return value?.case === 'arrayValue' ? value.value.values.map((each) => String(each.value.value)) : [];
};

test('a change is a trace from the watch event to the last proxy that has it', async (t) => {
  const world = await start(t);
  const { gateway } = world;
  gateway.write('shop.yaml', ...(await gateway.backend('shop')));
  await until('the proxy', async () => (await gateway.get('shop.example.com')).status === 404);
  gateway.write('route.yaml', routeObject('shop', 'shop.example.com', [{ backendRefs: [{ name: 'shop', port: 80 }] }]));
  const { change, below } = await traceOfRoute(world, 'shop');

  t.deepEqual(changedIn(change.span), ['HTTPRoute default/shop']);
  t.is(change.attributes['gatewright.changed.count'], 1n);
  const { body } = await gateway.json(gateway.control.ports.layout1, '/v1/snapshots');
  t.true(JSON.stringify(body).includes(String(change.attributes['gatewright.snapshot'])), 'the API knows the snapshot');
  t.is(hex(change.span.parentSpanId), '', 'no one asked for it');
  t.like(change.resource, { 'service.name': 'gatewright-control-plane', 'service.version': 'test' });

  t.deepEqual(below.map(({ span }) => span.name).sort(), ['apply', 'build', 'converge']);
  const [apply, build, converge] = ['apply', 'build', 'converge'].map((name) =>
    below.find(({ span }) => span.name === name),
  ) as [ReceivedSpan, ReceivedSpan, ReceivedSpan];
  t.true(below.every(({ span }) => hex(span.traceId) === hex(change.span.traceId)));
  t.like(apply.attributes, { 'gatewright.node': 'default.edge', 'gatewright.cluster': 'default/edge' });
  t.is(converge.attributes['gatewright.nodes'], 1n);
  t.true(build.span.startTimeUnixNano >= change.span.startTimeUnixNano, 'the change was there before it was built');
  t.true(apply.span.startTimeUnixNano >= build.span.startTimeUnixNano, 'what is applied was built');
  t.true(converge.span.endTimeUnixNano >= apply.span.startTimeUnixNano);
  // Clocks differ by less than a test takes: the times are those of now.
  t.true(Math.abs(Number(change.span.endTimeUnixNano / 1_000_000n) - Date.now()) < 600_000);
});

test('what a proxy rejects is an error in the trace, with its words', async (t) => {
  const world = await start(t);
  const { gateway, named } = world;
  gateway.write('shop.yaml', ...(await gateway.backend('shop')));
  const why = 'invalid regex: missing argument to repetition operator: *';
  const proxy = new TestProxy(t, gateway, {
    nodeId: 'old',
    types: routeTypes,
    rejects: (_, names) => (names.some((name) => /late/.test(name)) ? why : undefined),
  });
  await until('the proxy to have all', () => proxy.held.size > 0);
  gateway.write('route.yaml', routeObject('late', 'late.example.com', [{ backendRefs: [{ name: 'shop', port: 80 }] }]));
  await until('the rejection', () => named('reject').length > 0);
  const [rejection] = named('reject') as [ReceivedSpan];
  t.is(rejection.span.status?.code, 2);
  t.true(rejection.span.status?.message.includes(why), rejection.span.status?.message);
  t.like(rejection.attributes, { 'gatewright.node': 'old', 'gatewright.rejected.key': 'httproute/default/late' });
});

test('a request of the admin API goes on with the trace of its sender, and holds no query', async (t) => {
  const { receiver, gateway, named } = await start(t, { samplingPercent: 0 });
  await until('the first snapshot', async () => (await gateway.get('any.example.com')).status === 404);
  const { layout1, layout2, metrics } = gateway.control.ports;
  const ask = async (port: number, path: string, headers: Record<string, string> = {}) => {
    const { status } = await request(`http://127.0.0.1:${port}${path}`, { headers });
    return status;
  };
  const sampled = { traceparent: `00-${traceId}-${parentId}-01` };
  const unsampled = { traceparent: `00-${'c'.repeat(32)}-${parentId}-00` };
  t.is(await ask(layout1, '/v1/routes', unsampled), 200);
  t.is(await ask(layout1, '/v1/routes'), 200);
  for (const [port, path] of [
    [layout1, '/livez'],
    [layout1, '/readyz'],
    [layout2, '/healthz'],
    [metrics, '/metrics'],
    [layout1, '/nothing-of-ours'],
  ] as const)
    await ask(port, path, sampled);
  const headers = { ...sampled, 'x-request-id': 'mine' };
  t.is(await ask(layout1, '/v1/routes?q=secret-word&limit=1', headers), 200);
  await until('the span', () => named('GET /v1/routes').length > 0);

  const [{ span, attributes }] = named('GET /v1/routes') as [ReceivedSpan];
  t.is(hex(span.traceId), traceId);
  t.is(hex(span.parentSpanId), parentId);
  t.is(span.kind, 2, 'a server');
  t.is(span.status, undefined);
  t.like(attributes, {
    'http.request.method': 'GET',
    'http.route': '/v1/routes',
    'url.path': '/v1/routes',
    'http.response.status_code': 200n,
    'gatewright.listener': 'layout1',
    'gatewright.request_id': 'mine',
  });
  t.is(receiver.spans.length, 1, 'no probes, nothing that is not sampled, and no changes at 0 %');
  t.false(receiver.raw.includes('secret-word'));
});

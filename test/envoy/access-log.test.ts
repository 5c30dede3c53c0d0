import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { kindModules } from '../../src/controllers/index.ts';
import type { DataPlaneSpec } from '../../src/gateway-api/index.ts';
import { Graph } from '../../src/graph/index.ts';
import * as ir from '../../src/ir/index.ts';
import { Translator } from '../../src/translate/index.ts';
import { startEnvoy, xdsBootstrap } from '../support/envoy.ts';
import { send } from '../support/http.ts';
import {
  controllerName,
  dataPlane,
  dataPlaneRef,
  endpointSlice,
  gateway,
  gatewayClass,
  httpRoute,
  ownObject,
  service,
} from '../support/objects.ts';
import { every, thorough } from '../support/repetitions.ts';
import { until } from '../support/until.ts';
import { type AnyObject, put, someTime } from '../support/world.ts';
import { publisher, startXds } from '../support/xds.ts';

type AccessLog = NonNullable<DataPlaneSpec['accessLog']>;

interface Scene {
  /** Sent before the request, which is the last one. */
  readonly before?: readonly { readonly method: string; readonly headers?: Readonly<Record<string, string>> }[];
  readonly objects?: readonly AnyObject[];
  readonly host?: string;
  /** Of these instead of one Gateway of its own. */
  readonly sharing?: readonly AnyObject[];
  /** How often it is sent; the last line counts. */
  readonly times?: number;
}

/** What Envoy writes for a request. Without objects it finds no route. */
async function lineFor(t: ExecutionContext, accessLog: AccessLog, scene: Scene = {}): Promise<Record<string, unknown>> {
  const { times = 1 } = scene;
  const isLine = (text: string) => text.startsWith('{') && text.endsWith('}');
  const lines = await linesFor(t, accessLog, scene, (all) => all.filter(isLine)[times - 1] !== undefined);
  return JSON.parse(lines.filter(isLine)[times - 1] ?? '');
}

/** All that Envoy has written when it is enough. */
async function linesFor(
  t: ExecutionContext,
  accessLog: AccessLog,
  scene: Scene,
  isEnough: (lines: readonly string[]) => boolean,
): Promise<readonly string[]> {
  t.timeout(240_000);
  const { objects = [], host = 'shop.test', sharing, times = 1, before = [] } = scene;
  const graph = new Graph({ controllerName, kinds: kindModules, bind: () => ({ address: '127.0.0.1', port: 0 }) });
  const parametersRef = dataPlaneRef('logged', 'default');
  const lone = [gatewayClass(), gateway('gw', [{}], { infrastructure: { parametersRef: dataPlaneRef('logged') } })];
  const gateways = sharing ? [gatewayClass('gatewright', controllerName, { parametersRef }), ...sharing] : lone;
  put(graph, dataPlane('logged', { accessLog, ...(sharing && { shared: {} }) }), ...gateways, ...objects);
  const { snapshot } = graph.build(someTime);
  const upserts = [...new Translator().translate(snapshot, ir.allChanges(snapshot))].flatMap(
    (change) => change.upserts,
  );
  const { server, port } = await startXds(t);
  const [cluster = ''] = snapshot.gateways.keys();
  publisher(server, cluster)({ upserts });
  const envoy = await startEnvoy({ bootstrap: xdsBootstrap({ xds: port, nodeId: 'logged', cluster }) });
  t.teardown(() => envoy.stop());
  const listener = await until('a listener', async () => (await envoy.listeners())[0]);
  const request = { host, path: '/basket?card=1', headers: { 'x-tenant': 'seven' } };
  for (const each of before) await until('an answer', () => send(listener.port, { ...request, ...each }));
  await until('an answer', () => send(listener.port, request));
  for (let more = 1; more < times; more += 1) await send(listener.port, request);
  return await until('the line', () => {
    const lines = envoy.log().split('\n');
    return isEnough(lines) && lines;
  });
}

test('a request is a line of JSON, with the path but not what is asked of it', async (t) => {
  const line = await lineFor(t, { enabled: true });
  t.like(line, {
    method: 'GET',
    authority: 'shop.test',
    path: '/basket',
    protocol: 'HTTP/1.1',
    response_code: 404,
  });
  t.regex(String(line.downstream_remote_address), /^127\.0\.0\.1:\d+$/);
  t.is(typeof line.duration, 'number');
  t.is(Object.keys(line).length, 34);
  t.like(line, {
    'error.type': null,
    'gatewright.gateway': 'default/gw',
    'gatewright.route': null,
    'gatewright.rule': null,
    'gatewright.limit': null,
    'gatewright.limit_shadow': null,
  });
});

test('fields are chosen, headers are added', async (t) => {
  const accessLog: AccessLog = {
    enabled: true,
    fields: ['response_code'],
    requestHeaders: ['X-Tenant', 'x-none'],
    responseHeaders: ['date'],
  };
  const { response_headers: answered, ...line } = await lineFor(t, accessLog);
  t.deepEqual(line, { response_code: 404, request_headers: { 'x-tenant': 'seven', 'x-none': null } });
  t.deepEqual(Object.keys(answered as object), ['date']);
});

thorough(test)('a line may be text, with fields, headers and a percent sign', async (t) => {
  const text =
    'LOG %method% %authority%%path% %response_code% "%request_headers(X-Tenant)%" %request_headers(x-none)% 100%% %gatewright.gateway% %gatewright.limit% %http.server.request.duration% END';
  const isLine = (line: string) => line.startsWith('LOG ');
  const lines = await linesFor(t, { enabled: true, text, requestHeaders: ['x-more'] }, {}, (all) => all.some(isLine));
  t.regex(lines.find(isLine) ?? '', /^LOG GET shop\.test\/basket 404 "seven" - 100% default\/gw - 0(\.\d+)? END$/);
});

test('only requests are logged for which one of the conditions holds', async (t) => {
  const accessLog: AccessLog = {
    enabled: true,
    text: 'LOG %method% %request_headers(x-at)%',
    when: [
      { minStatus: 200, maxStatus: 299 },
      { methods: ['PUT', 'PATCH'], header: { name: 'X-At' } },
      { methods: ['POST'], minDuration: '1h' },
      { header: { name: 'x-tenant', value: 'eight' }, percent: 100 },
      { minStatus: 404, header: { name: 'x-last', value: '1' } },
    ],
  };
  const before: Scene['before'] = [
    { method: 'GET' },
    { method: 'POST', headers: { 'x-at': '1' } },
    { method: 'PUT' },
    { method: 'PUT', headers: { 'x-at': '2' } },
    { method: 'DELETE', headers: { 'x-tenant': 'eight', 'x-at': '3' } },
    { method: 'PATCH', headers: { 'x-at': '4' } },
    { method: 'GET', headers: { 'x-last': '1', 'x-at': 'last' } },
  ];
  const lines = await linesFor(t, accessLog, { before }, (all) => all.includes('LOG GET last'));
  t.deepEqual(
    lines.filter((line) => line.startsWith('LOG ')),
    ['LOG PUT 2', 'LOG DELETE 3', 'LOG PATCH 4', 'LOG GET last'],
  );
});

/** The second rule answers. */
const redirecting = httpRoute('basket', {
  parentRefs: [{ name: 'gw' }],
  rules: [
    { matches: [{ path: { type: 'Exact', value: '/other' } }] },
    {
      matches: [{ path: { type: 'PathPrefix', value: '/basket' } }],
      filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'moved.test' } }],
    },
  ],
});

/** No backend is there. */
const broken = httpRoute('basket', { parentRefs: [{ name: 'gw' }] });

const once = (name: string, onLimit: string): AnyObject =>
  ownObject('RateLimitPolicy', name, {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'basket' }],
    onLimit,
    buckets: [{ name: 'b', limits: [{ requests: 1, per: '1h' }] }],
  });
const limitFields: AccessLog['fields'] = [
  'response_code',
  'response_code_details',
  'gatewright.limit',
  'gatewright.limit_shadow',
];

for (const host of every(2, ['shop.test', 'late.shop.test'])) {
  test(`a request that is over a limit is logged with its bucket, and one that only would be: ${host}`, async (t) => {
    const accessLog: AccessLog = { enabled: true, fields: limitFields };
    const route = { ...redirecting, spec: { ...redirecting.spec, hostnames: ['shop.test', '*.shop.test'] } };
    const scene = { host, times: 2, objects: [route, once('strict', 'Reject')] };
    t.deepEqual(await lineFor(t, accessLog, scene), {
      response_code: 429,
      response_code_details: 'local_rate_limited',
      'gatewright.limit': 'default/strict/b',
      'gatewright.limit_shadow': null,
    });
    t.like(await lineFor(t, accessLog, { ...scene, objects: [route, once('trial', 'Shadow')] }), {
      response_code: 302,
      'gatewright.limit': null,
      'gatewright.limit_shadow': 'default/trial/b',
    });
  });
}

const semantic = [
  'http.request.method',
  'url.path',
  'server.address',
  'client.address',
  'network.protocol.version',
  'http.response.status_code',
  'http.server.request.duration',
  'error.type',
  'gatewright.gateway',
  'gatewright.listener',
  'gatewright.route',
  'gatewright.rule',
] as const;

thorough(test)('a request has the names of OpenTelemetry, and whose it was', async (t) => {
  const fields = [...semantic];
  const { 'http.server.request.duration': seconds, ...line } = await lineFor(
    t,
    { enabled: true, fields },
    { objects: [redirecting], host: 'shop.test:8080' },
  );
  t.deepEqual(line, {
    'http.request.method': 'GET',
    'url.path': '/basket',
    'server.address': 'shop.test',
    'client.address': '127.0.0.1',
    'network.protocol.version': '1.1',
    'http.response.status_code': 302,
    'error.type': null,
    'gatewright.gateway': 'default/gw',
    'gatewright.listener': 'http/80',
    'gatewright.route': 'httproute/default/basket',
    'gatewright.rule': 1,
  });
  t.true(typeof seconds === 'number' && seconds >= 0 && seconds < 60, String(seconds));
});

thorough(test)('an IPv6 address as host is logged without its brackets', async (t) => {
  const line = await lineFor(t, { enabled: true, fields: ['server.address'] }, { host: '[2001:db8::1]:80' });
  t.deepEqual(line, { 'server.address': '2001:db8::1' });
});

thorough(test)('a 500 that no flag explains has no type of error', async (t) => {
  const fields: AccessLog['fields'] = ['http.response.status_code', 'error.type', 'gatewright.route'];
  const line = await lineFor(t, { enabled: true, fields }, { objects: [broken] });
  t.deepEqual(line, {
    'http.response.status_code': 500,
    'error.type': null,
    'gatewright.route': 'httproute/default/basket',
  });
});

test('a backend that is not there is a type of error', async (t) => {
  const fields: AccessLog['fields'] = ['error.type', 'response_flags', 'gatewright.rule'];
  const port = await freePort();
  const objects = [broken, service('web'), endpointSlice('web', ['127.0.0.1'], { port })];
  const line = await lineFor(t, { enabled: true, fields }, { objects });
  t.deepEqual(line, { 'error.type': 'UF', response_flags: 'URX,UF', 'gatewright.rule': 0 });
});

thorough(test)('a port of several Gateways names none of them', async (t) => {
  const fields: AccessLog['fields'] = ['gatewright.gateway', 'gatewright.listener'];
  const sharing = [gateway('gw', [{ hostname: 'a.test' }]), gateway('gw2', [{ hostname: 'b.test' }])];
  t.deepEqual(await lineFor(t, { enabled: true, fields }, { sharing }), { 'gatewright.listener': 'http/80' });
});

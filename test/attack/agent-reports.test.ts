import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { SecretText } from '../../src/config/index.ts';
import type { NodeView } from '../../src/xds/index.ts';
import { agentToken, startAgent } from '../support/agent-world.ts';
import { endings } from '../support/endings.ts';
import { gatewayClass, gateway as gatewayObject, xObject } from '../support/objects.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { thorough } from '../support/repetitions.ts';
import { startTwo, type TestReplica } from '../support/replica.ts';
import { request } from '../support/request.ts';
import { gatewayObjects, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

// A stranger, or a tenant through the proxy itself, on the port of an agent, which shows all that its Envoy has.

interface World {
  readonly gateway: Standalone;
  /** The node of Gateway `default/edge`, whose agent is at `agentPort`, and that of another Gateway. */
  readonly own: NodeView;
  readonly other: NodeView;
}

const test = anyTest as TestFn<World>;
const all = endings(test);

const tokenOf = ({ reportToken }: NodeView): string => reportToken?.reveal() ?? '';

test.before(async (t) => {
  const [, edge] = gatewayObjects(await freePort()) as [object, { metadata: object; spec: object }];
  const other = { ...edge, metadata: { ...edge.metadata, name: 'other' } };
  const gateway = await startStandalone({ 'other.yaml': [other] });
  all.teardown(() => gateway.stop());
  const nodes = await untilFits(
    'both agents to be connected and ready',
    () => gateway.control.xds.nodes.list(),
    (list) => list.filter(({ ready }) => ready).length === 2,
  );
  const [own, another] = [
    nodes.find(({ adminPort }) => adminPort === gateway.agentPort),
    nodes.find(({ adminPort }) => adminPort !== gateway.agentPort),
  ];
  t.context = { gateway, own: own as NodeView, other: another as NodeView };
});

const reports = [
  'status',
  'config',
  'config?raw=true',
  'config/version',
  'stats',
  'stats?filter=.',
  'stats/connections',
  'stats/backends',
  'xds/status',
  'nothing',
];

test('an agent answers 401 without its own credential, with a wrong one, and with that of another agent', async (t) => {
  const { gateway, own, other } = t.context;
  const token = tokenOf(own);
  t.regex(token, /^[\w-]{43}$/);
  t.not(token, tokenOf(other));
  const wrong = [
    [],
    ['Authorization: Bearer '],
    ['Authorization: Bearer undefined'],
    [`Authorization: Bearer ${tokenOf(other)}`],
    [`Authorization: Bearer ${token.slice(0, -1)}`],
    [`Authorization: Bearer ${token}x`],
    [`Authorization: Basic ${token}`],
    [`X-Authorization: Bearer ${token}`],
  ];
  for (const report of reports) {
    for (const headers of wrong) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const sent = rawRequest(`/api/v1/${report}`, ['Host: 127.0.0.1', ...headers], { method });
        const { status, rest } = await exchange(gateway.agentPort, sent);
        t.is(status, 401, `${method} ${report} ${headers[0]}`);
        t.notRegex(rest, /listeners|default\/edge/);
      }
    }
  }
});

test('the control plane, and who is given a token, read them; probes need none, by any Host', async (t) => {
  const { gateway, own } = t.context;
  const ask = async (path: string, ...headers: string[]) =>
    (await exchange(gateway.agentPort, rawRequest(path, headers))).status;
  for (const token of [tokenOf(own), agentToken])
    t.is(await ask('/api/v1/config?raw=true', 'Host: 127.0.0.1', `Authorization: Bearer ${token}`), 200);
  const { layout1 } = gateway.control.ports;
  for (const report of ['reports/config-dump', 'reports/status', 'summary']) {
    // An agent whose machine is slow is asked again: its first answer may come later than is waited for.
    const read = () => gateway.json(layout1, `/v1/dataplanes/${own.nodeId}/${report}`);
    await untilFits(`${report} to be read`, read, ({ status }) => status === 200);
  }
  for (const probe of ['/healthz', '/readyz'])
    for (const host of ['evil.example', '127.0.0.1', 'localhost']) {
      // One whose Envoy is too late to say how it is answers 503.
      const probed = await untilFits(
        probe,
        () => ask(probe, `Host: ${host}`),
        (status) => status !== 503,
      );
      t.is(probed, 200, probe);
    }
  t.is(await ask('/api/v1/metrics', 'Host: 10.0.0.7:8082'), 200, 'Prometheus comes by the address of the pod');
});

test('a tenant’s backend that leads to the agent gets nothing of its reports', async (t) => {
  const { gateway } = t.context;
  const group = 'gateway.networking.x-k8s.io';
  const backend = xObject('XBackend', 'agent', {
    type: 'ExternalHostname',
    externalHostname: { hostname: 'localhost' },
    port: { number: gateway.agentPort },
    protocol: 'HTTP',
  });
  const route = routeObject('ssrf', 'ssrf.test', [{ backendRefs: [{ group, kind: 'XBackend', name: 'agent' }] }]);
  gateway.write('tenant.yaml', backend, route);
  const ask = () => exchange(gateway.port, rawRequest('/api/v1/config?raw=true', ['Host: ssrf.test']));
  const { status, text } = await untilFits('the route to be answered', ask, (answer) => answer.status !== 404);
  t.true([401, 403, 500, 502, 503].includes(status), `${status}`);
  t.notRegex(text, /static_clusters|dynamic_listeners|"configs"/);
});

thorough(test)('the credential of an agent is in no answer, line, argument or variable', async (t) => {
  const { gateway, own, other } = t.context;
  const tokens = [tokenOf(own), tokenOf(other)];
  const { layout1, layout2, metrics } = gateway.control.ports;
  const texts = new Map<string, string>();
  const surfaces: readonly [number, string][] = [
    ...[
      '/v1/nodes',
      `/v1/nodes/${own.nodeId}`,
      '/v1/dataplanes',
      '/v1/snapshot',
      '/v1/snapshot-sync',
      '/v1/topology',
    ].map((path): [number, string] => [layout1, path]),
    ...['status', 'config', 'config-dump', 'xds', 'stats'].map((report): [number, string] => [
      layout1,
      `/v1/dataplanes/${own.nodeId}/reports/${report}`,
    ]),
    [layout1, `/v1/dataplanes/${own.nodeId}/summary`],
    [layout2, '/api/v1/clients'],
    [metrics, '/metrics'],
    [gateway.agentPort, '/api/v1/metrics'],
    [gateway.agentPort, '/api/v1/config?raw=true'],
  ];
  for (const [port, path] of surfaces) {
    const headers = { authorization: `Bearer ${agentToken}` };
    const ask = () => request(`http://127.0.0.1:${port}${path}`, { headers });
    // On a busy machine an agent may be too late for its control plane.
    const answer = await untilFits(path, ask, ({ status }) => status !== 502);
    t.is(answer.status, 200, path);
    texts.set(path, `${JSON.stringify([...answer.headers])} ${await answer.text()}`);
  }
  t.regex(texts.get('/api/v1/config?raw=true') ?? '', /gatewright_admin_port/, 'the bootstrap is in the dump');
  texts.set('feed', await feedText(layout1));
  texts.set('log', gateway.log.map((line) => JSON.stringify(line)).join('\n'));
  const { pid } = JSON.parse(
    texts.get(`/v1/dataplanes/${own.nodeId}/reports/status`)?.replace(/^\[.*?\] (?=\{)/, '') ?? '',
  ).envoy;
  for (const id of [pid, process.pid])
    for (const what of ['cmdline', 'environ']) texts.set(`${id} ${what}`, readFileSync(`/proc/${id}/${what}`, 'utf8'));
  for (const [surface, text] of texts) for (const token of tokens) t.false(text.includes(token), surface);
  t.regex(texts.get('feed') ?? '', new RegExp(`"nodeId":"${own.nodeId}"`));
});

/** What a control plane says to others, until it has said all there is. */
function feedText(port: number, token = agentToken): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const headers = { authorization: `Bearer ${token}` };
    const options = { host: '127.0.0.1', port, path: '/v1/replicas/feed', headers, agent: false };
    const call = httpGet(options, (response) => {
      response.on('data', (piece: Buffer) => {
        text += piece.toString();
        if (!text.includes('"synced"')) return;
        resolve(text);
        call.destroy();
      });
    });
    call.on('error', (error) => (text.includes('"synced"') ? undefined : reject(error)));
  });
}

thorough(test)('any replica shows the reports of any agent, without knowing its credential', async (t) => {
  const edge = gatewayObject('edge', [{ port: await freePort() }]);
  const admin = 'token-of-the-admin-api';
  const more = { config: { adminAuth: { bearerToken: admin } }, token: admin };
  const [a, b] = await startTwo(t as ExecutionContext<unknown> as ExecutionContext, [gatewayClass(), edge], more);
  const agent = await startAgent(t, `127.0.0.1:${a.control.ports.xds}`, {
    nodeId: 'edge-1',
    cluster: 'default/edge',
    adminAuth: {},
  });
  const known = (replica: TestReplica) => async () =>
    ((await replica.json('/v1/nodes')) as { nodeId: string; ready: boolean }[]).some(({ ready }) => ready);
  await until('both replicas to know the proxy', async () => (await known(a)()) && (await known(b)()));
  const stranger = await exchange(agent.adminPort, rawRequest('/api/v1/status', ['Host: 127.0.0.1']));
  t.is(stranger.status, 401);
  for (const replica of [a, b]) {
    // On a busy machine an agent may be too late for its control plane.
    const read = async (report: string) => {
      const path = `/v1/dataplanes/edge-1/${report}`;
      const answer = await untilFits(
        path,
        () => replica.get(path),
        ({ status }) => status !== 502,
      );
      return await answer.json();
    };
    t.like(await read('reports/status'), { node_id: 'edge-1' }, replica.identity);
    const dump = (await read('reports/config-dump')) as { readonly configs: unknown };
    t.true(Array.isArray(dump.configs), replica.identity);
    const summary = (await read('summary')) as { readonly status: object };
    t.like(summary, { nodeId: 'edge-1', address: `127.0.0.1:${agent.adminPort}` }, replica.identity);
    t.like(summary.status, { ready: true });
  }
  const [token] = a.control.xds.nodes.list().map(tokenOf);
  t.is(token?.length, 43);
  t.false((await feedText(a.port, admin)).includes(token as string));
  const asReplica = { headers: { 'X-Gatewright-From-Replica': '1', authorization: `Bearer ${admin}` } };
  const inCircle = await request(`http://127.0.0.1:${b.port}/v1/dataplanes/edge-1/reports/status`, asReplica);
  t.is(inCircle.status, 502, 'a replica that is asked by another one asks no third');
  await a.stop();
  const away = await untilFits(
    'the other replica to notice',
    () => b.get('/v1/dataplanes/edge-1/reports/status'),
    ({ status }) => status === 502,
  );
  t.regex(await away.text(), /dataplane_unreachable/);
});

thorough(test)('an agent whose metrics are protected shows them to strangers as little as reports', async (t) => {
  const token = randomBytes(8).toString('hex');
  const agent = await startAgent(t, '127.0.0.1:1', {
    adminAuth: { tokens: [async () => new SecretText(token)], protectMetrics: true },
  });
  const ask = async (...headers: string[]) =>
    (await exchange(agent.adminPort, rawRequest('/api/v1/metrics', ['Host: 127.0.0.1', ...headers]))).status;
  t.is(await ask(), 401);
  t.is(await ask(`Authorization: Bearer ${token}`), 200);
});

import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { askAgent } from '../../src/admin/dataplanes/agent-client.ts';
import { cluster, endpoints, httpListener, routes } from '../support/agent-resources.ts';
import {
  ask,
  askReport,
  eventually,
  record,
  startAgent,
  startBackend,
  startControlPlane,
  untilReady,
} from '../support/agent-world.ts';

test('statistics, backends and configuration are Envoy’s own word', async (t) => {
  const backend = await startBackend(t);
  const controlPlane = await startControlPlane(t);
  const agent = await startAgent(t, controlPlane.address);
  const port = await freePort();
  const listener = httpListener(port);
  const name = 'shop/web/80';
  controlPlane.publish('s1', [listener, routes(listener.name, name), cluster(name), endpoints(name, backend.port)]);
  await untilReady(agent);
  for (let i = 0; i < 3; i++) t.is((await ask(port, '/')).status, 200);

  const stats = await eventually('the requests to be counted', async () => {
    const now = await record(agent, 'stats');
    return now.requests === 3 && now.responses['2xx'] === 3 && now.latency_ms.p50 !== null && now;
  });
  t.like(stats, { retries: 0, circuit_breaker_trips: 0, responses: { '4xx': 0, '5xx': 0 } });
  t.true(stats.latency_ms.p50 > 0 && stats.latency_ms.p50 <= stats.latency_ms.p99);
  t.true(stats.bytes.received > 0 && stats.bytes.sent > 0);
  t.is(stats.listeners.length, 1);
  t.like(stats.backends, [{ name, requests: 3, connection_failures: 0 }]);
  const filtered = await record(agent, 'stats?filter=^cluster_manager\\.active_clusters$');
  t.is(typeof filtered.envoy['cluster_manager.active_clusters'], 'number');
  t.is((await askReport(agent, '/api/v1/stats?filter=')).status, 400);
  const rejected = await askReport(agent, '/api/v1/stats?filter=[');
  t.is(rejected.status, 400, 'an expression that Envoy cannot read');
  t.like(JSON.parse(rejected.body).error, { code: 'query_invalid', details: [{ path: 'filter' }] });
  t.regex(rejected.body, /Invalid re2 regex: missing \]: \[/, 'in the words of Envoy');

  const connections = await record(agent, 'stats/connections');
  t.like(connections, { total_connections: 3, connection_errors: 0 });
  t.true(connections.connections_per_second > 0);
  // Envoy hears later than the client that a connection is over.
  await eventually('no connection', async () => (await record(agent, 'stats/connections')).active_connections === 0);

  t.deepEqual(await record(agent, 'stats/backends'), [
    {
      name: 'web:80',
      namespace: 'shop',
      endpoints: [{ address: `127.0.0.1:${backend.port}`, healthy: true, zone: '', failure: null, weight: 1 }],
    },
  ]);

  controlPlane.publish('s2', [
    listener,
    routes(listener.name, name),
    ...[name, 'shop/api/80', 'home/web/80'].flatMap((each) => [cluster(each), endpoints(each, backend.port)]),
  ]);
  await eventually('more backends to be there', async () => (await record(agent, 'stats/backends')).length === 3);
  const pageOf = async (query: string) => {
    const { status, headers, body } = await askReport(agent, `/api/v1/stats/backends?${query}`);
    t.is(status, 200, body);
    const names = JSON.parse(body).map((each: { namespace: string; name: string }) => `${each.namespace}/${each.name}`);
    return { names, total: headers['x-total-count'] };
  };
  t.deepEqual(await pageOf(''), { names: ['home/web:80', 'shop/api:80', 'shop/web:80'], total: '3' });
  t.deepEqual(await pageOf('limit=1&offset=1'), { names: ['shop/api:80'], total: '3' });
  t.deepEqual(await pageOf('sort=name&order=desc&limit=2'), { names: ['shop/web:80', 'home/web:80'], total: '3' });
  t.deepEqual(await pageOf('namespace=shop&name=web:80'), { names: ['shop/web:80'], total: '1' });
  t.is((await askReport(agent, '/api/v1/stats/backends?sort=zone')).status, 400);

  const config = await record(agent, 'config');
  t.like(config, { version: 's2', secrets: [] });
  t.deepEqual(
    config.listeners.map(({ name: each, error }: { name: string; error: string }) => [each, error]),
    [[listener.name, '']],
  );
  t.deepEqual(
    config.clusters.map((each: { name: string }) => each.name),
    ['home/web/80', 'shop/api/80', name],
  );
  t.like(config.routes[0], { name: listener.name, routes: 1 });
  t.true((await record(agent, 'config?raw=true')).configs.length > 0);
  t.is((await askReport(agent, '/api/v1/config?raw=1')).status, 400);

  const node = controlPlane.server.nodes.find('node-1');
  t.is(node?.adminPort, agent.adminPort);
  const summary = await askAgent({ address: `127.0.0.1:${agent.adminPort}`, token: node?.reportToken }, 90_000);
  t.like(summary, {
    status: { ready: true, configVersion: 's2', serving: 'current' },
    connections: { total: 3, errors: 0 },
    xds: { connected: true, lastConfigStatus: 'ACK' },
    backends: { healthy: 3, unhealthy: 0 },
    traffic: { requests: 3, '2xx': 3, '5xx': 0 },
  });
});

test('failed connections and the time of requests are there under the contract’s names', async (t) => {
  const controlPlane = await startControlPlane(t);
  const agent = await startAgent(t, controlPlane.address);
  const [port, noOne] = [await freePort(), await freePort()];
  const listener = httpListener(port);
  const name = 'shop/web/80';
  controlPlane.publish('s1', [listener, routes(listener.name, name), cluster(name), endpoints(name, noOne)]);
  await untilReady(agent);
  for (let i = 0; i < 3; i++) t.is((await ask(port, '/')).status, 503);
  const prefix = 'gatewright_gateway_dataplane_';
  const metric = (body: string, series: string) =>
    Number(new RegExp(`^${prefix}${series} ([\\d.]+)$`, 'm').exec(body)?.[1]);
  const body = await eventually('the requests to be counted', async () => {
    const answer = await askReport(agent, '/api/v1/metrics');
    return metric(answer.body, 'http_request_duration_seconds_count') === 3 && answer.body;
  });
  t.true(metric(body, 'backend_connection_errors_total') >= 3);
  t.is(metric(body, 'http_request_duration_seconds_bucket\\{le="\\+Inf"\\}'), 3);
  t.regex(body, /^envoy_cluster_upstream_cx_connect_fail\{/m, 'Envoy’s own follow');

  controlPlane.publish('s2', [listener]);
  await eventually('the backend to be gone', async () => (await record(agent, 'stats/backends')).length === 0);
  const after = (await askReport(agent, '/api/v1/metrics')).body;
  t.is(metric(after, 'backend_connection_errors_total'), metric(body, 'backend_connection_errors_total'));
});

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
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
  untilServes,
} from '../support/agent-world.ts';

test('not ready without configuration, ready and serving with the first, in step with the next', async (t) => {
  const [first, second] = [await startBackend(t, 'first'), await startBackend(t, 'second')];
  const controlPlane = await startControlPlane(t);
  const agent = await startAgent(t, controlPlane.address);
  await eventually('Envoy to answer', async () => (await record(agent, 'status')).envoy.state !== '');
  const before = await ask(agent.adminPort, '/readyz');
  t.is(before.status, 503);
  t.regex(before.body, /no configuration is applied yet/);
  t.is((await record(agent, 'status')).serving, 'none');
  t.is((await ask(agent.adminPort, '/healthz')).body, 'ok');

  const port = await freePort();
  const listener = httpListener(port);
  controlPlane.publish('s1', [listener, routes(listener.name, 'c'), cluster('c'), endpoints('c', first.port)]);
  await untilReady(agent);
  t.is((await ask(port, '/')).body, 'first');
  const status = await record(agent, 'status');
  t.like(status, { node_id: 'node-1', version: '1.2.3', ready: true, config_version: 's1', serving: 'current' });
  t.deepEqual(status.listeners, [
    { name: `http/${port}`, address: `127.0.0.1:${port}`, protocol: 'HTTP', active: true },
  ]);
  t.like(status.envoy, { version: '1.40.0', state: 'LIVE', pid: agent.envoyPid, restarts: 0 });
  t.regex(status.config_applied_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  controlPlane.publish('s2', [listener, routes(listener.name, 'c'), cluster('c'), endpoints('c', second.port)]);
  await untilServes(port, 'second');
  await eventually('s2 to be applied', async () => (await record(agent, 'status')).config_version === 's2');
  const node = await eventually('the ACK', () => {
    const view = controlPlane.server.nodes.find('node-1');
    return view?.lastAckVersion === 's2' && view;
  });
  t.like(node, {
    cluster: 'test/edge',
    version: '1.2.3',
    envoyVersion: '1.40.0',
    connected: true,
    lastConfigStatus: 'ACK',
  });
  const xds = await record(agent, 'xds/status');
  t.like(xds, {
    connected: true,
    controlplane_address: controlPlane.address,
    last_config_version: 's2',
    last_config_status: 'ACK',
    last_config_nonce: node.lastNonce,
    stream_reconnects: 0,
    last_nack_message: null,
    last_disconnect_reason: null,
    superseded_count: 0,
  });
  const version = await record(agent, 'config/version');
  t.like(version, { id: 's2', applied_at: (await record(agent, 'status')).config_applied_at });
  t.is(version.types.Listener.resources, 1);
});

test('the admin API: probes, errors in one shape, HEAD, metrics of Envoy and of the agent', async (t) => {
  const agent = await startAgent(t, '127.0.0.1:1');
  const port = agent.adminPort;
  await eventually('Envoy to answer', async () => (await record(agent, 'status')).envoy.state !== '');
  const missing = await askReport(port, '/api/v1/nothing');
  t.is(missing.status, 404);
  t.is(JSON.parse(missing.body).error.code, 'not_found');
  const post = await askReport(port, '/api/v1/status', 'POST');
  t.is(post.status, 405);
  t.regex(String(post.headers.allow), /GET, HEAD/);
  t.is(JSON.parse(post.body).error.code, 'method_not_allowed');
  const unknown = await askReport(port, '/api/v1/status?a=b');
  t.is(unknown.status, 200);
  t.regex(String(unknown.headers.warning), /a/, 'a parameter that is ignored is named');
  t.is((await askReport(port, '/api/v1/status?a=b&strict=true')).status, 400);
  const head = await askReport(port, '/api/v1/status', 'HEAD');
  t.deepEqual([head.status, head.body], [200, '']);
  const metrics = await askReport(port, '/api/v1/metrics');
  t.regex(metrics.body, /^gatewright_gateway_dataplane_ready\{node_id="node-1",gateway="[^"]+"\} 0$/m);
  t.regex(metrics.body, /^gatewright_gateway_dataplane_envoy_restarts_total 0$/m);
  t.regex(metrics.body, /^gatewright_process_cpu_seconds_total [\d.]+$/m);
  t.regex(metrics.body, /^gatewright_process_resident_memory_bytes \d+$/m);
  t.regex(metrics.body, /^envoy_server_state\{\} \d$/m);
  const xds = await eventually('an attempt', async () => {
    const status = await record(agent, 'xds/status');
    return status.last_disconnect_reason !== null && status;
  });
  t.like(xds, { connected: false, controlplane_address: '127.0.0.1:1', last_config_status: null });
  t.like(await record(agent, 'config/version'), { id: null, applied_at: null, nonce: null });
});

test('a start that cannot work says why in one line and leaves nothing behind', async (t) => {
  const adminListen = { host: '127.0.0.1', port: (await startBackend(t)).port };
  await t.throwsAsync(startAgent(t, '127.0.0.1:1', { adminListen }), {
    message: /^dataplane.adminListen: .*EADDRINUSE/,
  });
  await t.throwsAsync(startAgent(t, '127.0.0.1:1', { envoyPath: '/no/envoy' }), {
    message: /^dataplane.envoyPath: \/no\/envoy/,
  });
  const workDir = `/tmp/${'x'.repeat(100)}`;
  t.teardown(() => rm(workDir, { recursive: true, force: true }));
  await t.throwsAsync(startAgent(t, '127.0.0.1:1', { workDir }), { message: /too long/ });
  t.false(existsSync(workDir));
});

test('an Envoy that ends at its start is tried again, and its complaint is the reason', async (t) => {
  const agent = await startAgent(t, '127.0.0.1:1', { envoyArgs: ['--no-such-argument'] });
  const answer = await eventually('the reason', async () => {
    const readyz = await ask(agent.adminPort, '/readyz');
    return readyz.body.includes('Envoy is not running: ended with exit code 1') && readyz;
  });
  t.is(answer.status, 503);
  await eventually('another try', async () => (await record(agent, 'status')).envoy.restarts >= 2);
});

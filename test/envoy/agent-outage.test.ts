import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { cluster, endpoints, httpListener, routes } from '../support/agent-resources.ts';
import {
  ask,
  eventually,
  publishedWorld,
  record,
  servingWorld,
  startAgent,
  startBackend,
  untilNotBound,
  untilReady,
  untilServes,
  worldWithTakenPort,
} from '../support/agent-world.ts';
import { every, thorough } from '../support/repetitions.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';

const untilConnected = (agent: Parameters<typeof record>[0], connected: boolean) =>
  eventually(`connected: ${connected}`, async () => (await record(agent, 'xds/status')).connected === connected);

test('the control plane goes away and comes back: serves on, counts the reconnect, is sent nothing again', async (t) => {
  const { agent, controlPlane, port, listener } = await servingWorld(t);
  await controlPlane.stop();
  await untilConnected(agent, false);
  t.is((await ask(port, '/')).body, 'backend');
  t.is((await ask(agent.adminPort, '/readyz')).status, 200);
  const away = await record(agent, 'xds/status');
  t.like(away, { connected: false, connected_since: null, stream_reconnects: 0, last_config_version: 's1' });
  t.is(typeof away.last_disconnect_reason, 'string');
  t.like(await record(agent, 'status'), { ready: true, serving: 'cached', config_version: 's1' });

  await controlPlane.start();
  await untilConnected(agent, true);
  await eventually(
    'the node to have applied s1',
    () => controlPlane.server.nodes.find('node-1')?.lastAckVersion === 's1',
  );
  t.is(controlPlane.resourcesSent, 0);
  const back = await record(agent, 'xds/status');
  t.true(back.connected);
  t.is(back.stream_reconnects, 1);
  t.is((await record(agent, 'status')).serving, 'current');

  const other = await startBackend(t, 'other');
  controlPlane.publish('s2', [listener, routes(listener.name, 'c'), cluster('c'), endpoints('c', other.port)]);
  await untilServes(port, 'other');
  await eventually('s2 to be applied', async () => (await record(agent, 'status')).config_version === 's2');
});

test('a control plane hangs and its connections are accepted all the same: another one is tried', async (t) => {
  const { controlPlane } = await publishedWorld(t);
  await using service = await TcpProxy.start(controlPlane.port);
  service.silence();
  const agent = await startAgent(t, `127.0.0.1:${service.port}`);
  await eventually('a connection', () => service.connections === 1);
  service.pass();
  await untilReady(agent);
  t.like(await record(agent, 'xds/status'), { connected: true, stream_reconnects: 0, last_config_version: 's1' });
});

thorough(test)(
  'a route configuration that only an Envoy before this one asked for can change, and the snapshot is applied',
  async (t) => {
    const { agent, controlPlane, port, listener, resources } = await servingWorld(t);
    const untilApplied = (id: string) =>
      eventually(`${id} to be applied`, () => controlPlane.server.nodes.find('node-1')?.lastAckVersion === id);
    await untilServes(port, 'backend');
    const kept = resources.filter((each) => each !== listener);
    controlPlane.publish('s2', kept);
    await untilApplied('s2');
    // It drains the listener, whose routes it still asks for.
    const pid = agent.envoyPid as number;
    process.kill(pid, 'SIGKILL');
    await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
    controlPlane.publish('s3', [
      ...kept.filter(({ typeUrl }) => typeUrl !== typeUrls.route),
      routes(listener.name, 'd'),
    ]);
    await untilApplied('s3');
    controlPlane.publish('s4', resources);
    await untilApplied('s4');
    await untilServes(port, 'backend');
    t.is((await record(agent, 'status')).config_version, 's4');
  },
);

for (const killed of every(2, [false, true])) {
  const also = killed ? ', and Envoy was killed' : '';
  test(`listeners that Envoy rejected in part are closed when they were removed during an outage${also}`, async (t) => {
    const { agent, controlPlane, port, taken, kept } = await worldWithTakenPort(t);
    await untilNotBound(agent, taken);
    await untilServes(port, 'backend');
    await controlPlane.stop();
    await untilConnected(agent, false);
    const pid = agent.envoyPid as number;
    if (killed) {
      process.kill(pid, 'SIGKILL');
      await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
      await untilServes(port, 'backend');
    }
    const last = httpListener(await freePort());
    controlPlane.publish('s2', [last, ...kept, routes(last.name, 'c')]);
    await controlPlane.start();
    await eventually('s2 to be applied', async () => (await record(agent, 'status')).config_version === 's2');
    await untilReady(agent);
    const { listeners, faults } = await record(agent, 'status');
    t.deepEqual(
      listeners.map(({ name }: { name: string }) => name),
      [last.name],
    );
    t.deepEqual(faults, []);
    await t.throwsAsync(ask(port, '/'), undefined, 'its port is closed');
  });
}

test('Envoy is killed: started again, served from what the agent holds, and in step after that', async (t) => {
  const { agent, controlPlane, port, listener } = await servingWorld(t);
  const pid = agent.envoyPid as number;
  process.kill(pid, 'SIGKILL');
  await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
  await untilReady(agent);
  t.is((await ask(port, '/')).body, 'backend');
  t.is((await record(agent, 'status')).envoy.restarts, 1);
  t.like(await record(agent, 'xds/status'), { connected: true, stream_reconnects: 0, last_config_status: 'ACK' });

  const other = await startBackend(t, 'other');
  controlPlane.publish('s2', [listener, routes(listener.name, 'd'), cluster('d'), endpoints('d', other.port)]);
  await untilServes(port, 'other');
  await eventually('s2 to be applied', async () => (await record(agent, 'status')).config_version === 's2');
  t.is((await record(agent, 'config/version')).types.Cluster.resources, 1);
});

thorough(test)('Envoy is killed while the control plane is away: serves again all the same', async (t) => {
  const { agent, controlPlane, port } = await servingWorld(t);
  await controlPlane.stop();
  await untilConnected(agent, false);
  const pid = agent.envoyPid as number;
  process.kill(pid, 'SIGKILL');
  await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
  await untilReady(agent);
  t.is((await ask(port, '/')).body, 'backend');
  t.like(await record(agent, 'status'), { ready: true, serving: 'cached', config_version: 's1' });
});

thorough(test)('what changed while both were away arrives once they are back', async (t) => {
  const { agent, controlPlane, port, listener } = await servingWorld(t);
  await controlPlane.stop();
  await untilConnected(agent, false);
  process.kill(agent.envoyPid as number, 'SIGKILL');
  const other = await startBackend(t, 'other');
  const away = [listener, routes(listener.name, 'd'), cluster('d'), endpoints('d', other.port)];
  controlPlane.publish('s2', away);
  await controlPlane.start();
  await untilServes(port, 'other');
  await eventually('s2 to be applied', async () => (await record(agent, 'status')).config_version === 's2');
  const { types } = await record(agent, 'config/version');
  t.deepEqual(Object.keys(types).sort(), [
    'Cluster',
    'ClusterLoadAssignment',
    'Listener',
    'RouteConfiguration',
    'WasmModule',
  ]);
  t.is(types.Cluster.resources, 1);
  t.is(controlPlane.server.nodes.find('node-1')?.subscriptions.includes(typeUrls.snapshot), true);
});

thorough(test)('a newer stream with the same node id: the older one says so, and stays away for a while', async (t) => {
  const { agent, controlPlane } = await servingWorld(t);
  const rival = await startAgent(t, controlPlane.address);
  await untilConnected(agent, false);
  const xds = await record(agent, 'xds/status');
  t.like(xds, { superseded_count: 1, stream_reconnects: 0 });
  t.regex(xds.last_disconnect_reason, /superseded/);
  t.true((await record(rival, 'xds/status')).connected);
});

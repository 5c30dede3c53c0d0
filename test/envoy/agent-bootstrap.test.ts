import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { ConfigError } from '../../src/config/index.ts';
import { cluster, endpoints, httpListener, routes } from '../support/agent-resources.ts';
import { ask, startAgent, startBackend, startControlPlane, untilReady } from '../support/agent-world.ts';
import { thorough } from '../support/repetitions.ts';
import { gatewayWithDataPlane, isCurrent, startStandalone } from '../support/standalone.ts';
import { listenersOn } from '../support/tcp-sockets.ts';
import { until } from '../support/until.ts';

const patient = 240_000;

test('what is added to the bootstrap is beside what the agent needs', async (t) => {
  t.timeout(patient);
  const [backend, controlPlane, port] = [await startBackend(t), await startControlPlane(t), await freePort()];
  const listener = httpListener(port);
  controlPlane.publish('s1', [listener, routes(listener.name, 'c'), cluster('c'), endpoints('c', backend.port)]);
  const agent = await startAgent(t, controlPlane.address, {
    bootstrap: {
      stats_config: { stats_tags: [{ tag_name: 'team', fixed_value: 'shop' }] },
      static_resources: { clusters: [{ name: 'collector', type: 'STATIC', connect_timeout: '1s' }] },
      layered_runtime: {
        layers: [{ name: 'more', static_layer: { 'overload.global_downstream_max_connections': 7 } }],
      },
    },
  });
  await untilReady(agent);
  t.is((await ask(port, '/')).body, 'backend');
});

thorough(test)(
  'the DataPlane says how many worker threads Envoy has, each with a socket of its own on a port',
  async (t) => {
    t.timeout(patient);
    const port = await freePort();
    const world = await startStandalone({
      'gateway.yaml': gatewayWithDataPlane(port, { concurrency: 3, reusePort: true }),
    });
    t.teardown(world.stop);
    await until('the proxy', () => isCurrent(world));
    t.is(listenersOn(port), 3);
  },
);

test('what Envoy rejects, or the agent cannot give away, is an error at the start that leaves nothing behind', async (t) => {
  t.timeout(patient);
  const controlPlane = await startControlPlane(t);
  const workDir = await mkdtemp(join(tmpdir(), 'gatewright-test-'));
  t.teardown(() => rm(workDir, { recursive: true, force: true }));
  const start = (bootstrap: Record<string, unknown>) => startAgent(t, controlPlane.address, { bootstrap, workDir });
  await t.throwsAsync(start({ stats_config: { no_such_field: 1 } }), {
    instanceOf: ConfigError,
    message: /^dataplane\.bootstrap: Envoy rejects it: .*no_such_field/s,
  });
  await t.throwsAsync(
    start({
      static_resources: {
        clusters: [{ name: 'no-timeout', type: 'STATIC', lb_policy: 'MAGLEV', connect_timeout: '-1s' }],
      },
    }),
    {
      message: /^dataplane\.bootstrap: Envoy rejects it: /,
    },
  );
  await t.throwsAsync(start({ admin: {} }), { message: "dataplane.bootstrap.admin is the agent's: remove it" });
  t.deepEqual(await readdir(workDir), []);
});

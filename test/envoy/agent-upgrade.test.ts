import { chmodSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { DataPlaneAgentOptions } from '../../src/agent/index.ts';
import { cluster, endpoints, httpListener, routes } from '../support/agent-resources.ts';
import {
  ask,
  eventually,
  record,
  startAgent,
  startBackend,
  startControlPlane,
  untilReady,
  untilServes,
} from '../support/agent-world.ts';
import { envoyPath } from '../support/envoy.ts';

async function servingWorld(t: ExecutionContext, options: Partial<DataPlaneAgentOptions> = {}) {
  const [backend, controlPlane, port] = [await startBackend(t), await startControlPlane(t), await freePort()];
  const listener = httpListener(port);
  const resources = [listener, routes(listener.name, 'c'), cluster('c'), endpoints('c', backend.port)];
  controlPlane.publish('s1', resources);
  const agent = await startAgent(t, controlPlane.address, { drainTimeMs: 1000, ...options });
  await untilReady(agent);
  return { agent, backend, controlPlane, port, resources };
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const tagged = (team: string) => ({
  bootstrap: { stats_config: { stats_tags: [{ tag_name: 'team', fixed_value: team }] } },
});

/** Asks all the time, on new connections and on one that is kept; gives what went wrong and how many went well. */
function load(port: number) {
  const over = new AbortController();
  const faults: string[] = [];
  let good = 0;
  const once = (agent: Agent | false) =>
    new Promise<void>((resolve) => {
      const fail = (error: Error) => {
        faults.push(error.message);
        resolve();
      };
      get({ host: '127.0.0.1', port, agent: agent as Agent }, (response) => {
        if (response.statusCode === 200) good += 1;
        else faults.push(String(response.statusCode));
        response.resume().on('end', resolve).on('error', fail);
      }).on('error', fail);
    });
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const asking = [false, kept].map(async (agent) => {
    while (!over.signal.aborted) await once(agent as Agent | false);
  });
  return async () => {
    over.abort();
    await Promise.all(asking);
    kept.destroy();
    return { good, faults };
  };
}

test('another bootstrap: another Envoy takes over, no request is lost, open connections are served out', async (t) => {
  const { agent, backend, controlPlane, port, resources } = await servingWorld(t);
  const before = agent.envoyPid as number;
  const { resourcesSent } = controlPlane;
  const slow = ask(port, '/slow');
  const finish = await backend.slowRequest();
  // A connection that says nothing: it has no request that could tell it to go.
  const idle = connect(port, '127.0.0.1');
  let closed = false;
  idle.on('close', () => {
    closed = true;
  });
  idle.on('error', () => undefined);
  t.teardown(() => idle.destroy());
  const end = load(port);
  const readiness: number[] = [];
  const watching = setInterval(async () => readiness.push((await ask(agent.adminPort, '/readyz')).status), 50);
  await agent.upgrade(tagged('shop'));
  clearInterval(watching);
  t.not(agent.envoyPid, before);
  t.true(exists(before), 'it has connections');
  t.false(closed);
  t.true(readiness.every((status) => status === 200));
  const { envoy, serving, ready } = await record(agent, 'status');
  t.like(envoy, { pid: agent.envoyPid, restarts: 0, upgrades: 1, state: 'LIVE' });
  t.deepEqual([serving, ready], ['current', true]);
  t.is(controlPlane.resourcesSent, resourcesSent, 'the control plane notices nothing');
  t.like(await record(agent, 'xds/status'), { connected: true, stream_reconnects: 0 });
  t.regex((await ask(agent.adminPort, '/api/v1/metrics')).body, /team="shop"/);

  const other = await startBackend(t, 'other');
  controlPlane.publish('s2', [...resources.slice(0, 3), endpoints('c', other.port)]);
  await untilServes(port, 'other');
  const { good, faults } = await end();
  t.deepEqual(faults, []);
  t.true(good > 20, `${good}`);
  finish();
  t.is((await slow).body, 'backend');
  idle.destroy();
  await eventually('the Envoy before to end', () => !exists(before));

  // The one after an upgrade is looked after like any other, and can be upgraded.
  const crashed = agent.envoyPid as number;
  process.kill(crashed, 'SIGKILL');
  await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== crashed);
  await untilReady(agent);
  await agent.upgrade(tagged('till'));
  t.is((await ask(port, '/')).body, 'other');
  t.like((await record(agent, 'status')).envoy, { restarts: 1, upgrades: 2 });
  t.regex((await ask(agent.adminPort, '/api/v1/metrics')).body, /team="till"/);
});

test('a bootstrap that Envoy refuses changes nothing but what readiness and status say', async (t) => {
  const { agent, port } = await servingWorld(t);
  const before = agent.envoyPid;
  await agent.upgrade({ bootstrap: { stats_config: { no_such_field: 1 } } });
  t.is(agent.envoyPid, before);
  const readyz = await ask(agent.adminPort, '/readyz');
  t.is(readyz.status, 200);
  t.regex(readyz.body, /warning: Envoy cannot be upgraded, and runs as before: .*no_such_field/);
  t.like((await record(agent, 'status')).faults, [{ reason: 'envoy_not_upgraded', blocking: false }]);
  t.is((await ask(port, '/')).body, 'backend');
  await agent.upgrade(tagged('shop'));
  t.is((await ask(agent.adminPort, '/readyz')).body, 'ready');
  t.not(agent.envoyPid, before);
});

test('an Envoy that does not come up leaves its place to the one before', async (t) => {
  const { agent, port } = await servingWorld(t);
  const path = mkdtempSync(join(tmpdir(), 'gatewright-upgrade-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  const broken = join(path, 'envoy');
  writeFileSync(
    broken,
    `#!/bin/sh\ncase "$*" in *'--mode validate'*) exit 0;; esac\necho '[critical][main] out of luck' >&2; exit 3\n`,
  );
  chmodSync(broken, 0o755);
  const before = agent.envoyPid;
  await agent.upgrade({ envoyPath: broken });
  t.regex((await ask(agent.adminPort, '/readyz')).body, /runs as before: ended with exit code 3: out of luck/);
  t.is((await ask(port, '/')).body, 'backend');
  await untilReady(agent);
  // It had not begun to hand over.
  t.is(agent.envoyPid, before);
});

test("a replaced binary is taken into use, and nothing is left in the machine's shared memory", async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'gatewright-upgrade-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  const program = (name: string, version: string) => {
    const file = join(path, name);
    writeFileSync(file, `#!/bin/sh\n# ${version}\nexec '${envoyPath()}' "$@"\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const workDir = join(path, 'work');
  const binary = program('envoy', 'old');
  const watchdog = { intervalMs: 200, patienceMs: 60_000 };
  const { agent, port } = await servingWorld(t, { envoyPath: binary, workDir, watchdog });
  const before = agent.envoyPid as number;
  const baseId = Number(readFileSync(join(workDir, 'base-id'), 'utf8'));
  const end = load(port);
  renameSync(program('new', 'new'), binary);
  await eventually('the upgrade', async () => (await record(agent, 'status')).envoy.upgrades === 1);
  t.not(agent.envoyPid, before);
  t.deepEqual((await end()).faults, []);
  await agent.stop();
  t.false(readdirSync('/dev/shm').includes(`envoy_shared_memory_${baseId * 10}`));
  t.deepEqual(readdirSync(workDir), []);
  t.false(exists(before));
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { endpoints } from '../support/agent-resources.ts';
import {
  agentToken,
  ask,
  askReport,
  askToKeep,
  eventually,
  folder,
  gateway,
  publishedWorld,
  record,
  servingWorld,
  startBackend,
  untilReady,
  untilServes,
} from '../support/agent-world.ts';
import { envoyPath } from '../support/envoy.ts';
import { pause } from '../support/pace.ts';
import { programFile } from '../support/program.ts';
import { thorough } from '../support/repetitions.ts';
import { listenersOn } from '../support/tcp-sockets.ts';

const quickDrain = { drainTimeMs: 1000, handoverMs: 40_000 };

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

/** Slow machines ask that often too. */
const leastAsked = 30;

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
    while (!over.signal.aborted || good + faults.length < leastAsked) {
      await once(agent as Agent | false);
      await delay(5);
    }
  });
  return async () => {
    over.abort();
    await Promise.all(asking);
    kept.destroy();
    return { good, faults };
  };
}

thorough(test)(
  'another bootstrap: another Envoy takes over, no request is lost, open connections are served out',
  async (t) => {
    const { agent, backend, controlPlane, port, resources } = await servingWorld(t, quickDrain);
    const before = agent.envoyPid as number;
    const { resourcesSent } = controlPlane;
    const slow = ask(port, '/slow');
    const finish = await backend.slowRequest();
    // A silent connection: it has no request whose answer could ask the client to leave.
    const idle = connect(port, '127.0.0.1');
    let closed = false;
    idle.on('close', () => {
      closed = true;
    });
    idle.on('error', () => undefined);
    t.teardown(() => idle.destroy());
    const end = load(port);
    const readiness: number[] = [];
    const upgraded = new AbortController();
    // Several at once, so that some answers are under way when one Envoy takes over from the other.
    const watching = Array.from({ length: 4 }, async () => {
      while (!upgraded.signal.aborted) {
        readiness.push((await ask(agent.adminPort, '/readyz')).status);
        await pause();
      }
    });
    await agent.upgrade(tagged('shop'));
    upgraded.abort();
    await Promise.all(watching);
    t.not(agent.envoyPid, before);
    t.true(exists(before), 'it has connections');
    t.false(closed);
    t.true(readiness.every((status) => status === 200));
    const { envoy, serving, ready } = await record(agent, 'status');
    t.like(envoy, { pid: agent.envoyPid, restarts: 0, upgrades: 1, state: 'LIVE' });
    t.regex((await askReport(agent, '/api/v1/metrics')).body, /_envoy_upgrades_total 1$/m);
    t.deepEqual([serving, ready], ['current', true]);
    t.is(controlPlane.resourcesSent, resourcesSent, 'the control plane notices nothing');
    t.like(await record(agent, 'xds/status'), { connected: true, stream_reconnects: 0 });
    t.regex((await askReport(agent, '/api/v1/metrics')).body, /team="shop"/);

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
    // An Envoy without notice of it would ask that one for its statistics, and abort.
    for (let asked = 0; asked < 3; asked++) t.is((await askReport(agent, '/api/v1/metrics')).status, 200);
    t.like((await record(agent, 'status')).envoy, { pid: agent.envoyPid, restarts: 0 });

    // The one after an upgrade is looked after like any other, and can be upgraded.
    const crashed = agent.envoyPid as number;
    process.kill(crashed, 'SIGKILL');
    await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== crashed);
    await untilReady(agent);
    await agent.upgrade(tagged('till'));
    t.is((await ask(port, '/')).body, 'other');
    t.like((await record(agent, 'status')).envoy, { restarts: 1, upgrades: 2 });
    t.regex((await askReport(agent, '/api/v1/metrics')).body, /team="till"/);
  },
);

thorough(test)('several upgrades in a row lose nothing, each Envoy ending the one before it', async (t) => {
  const { agent, port } = await servingWorld(t, { ...quickDrain, handoverMs: 600_000 });
  const pids = [agent.envoyPid as number];
  const end = load(port);
  for (const team of ['shop', 'till', 'depot']) {
    await agent.upgrade(tagged(team));
    pids.push(agent.envoyPid as number);
    t.is((await askReport(agent, '/api/v1/metrics')).status, 200);
  }
  t.deepEqual((await end()).faults, []);
  t.like((await record(agent, 'status')).envoy, { upgrades: 3, restarts: 0 });
  t.is(new Set(pids).size, 4);
  await eventually('two Envoys at most', () => pids.filter(exists).length <= 2);
  await agent.stop();
  t.deepEqual(pids.filter(exists), []);
});

thorough(test)('an Envoy that ends while the one before it retires is started again, on the same ports', async (t) => {
  const { agent, port } = await servingWorld(t, { ...quickDrain, handoverMs: 600_000 });
  const before = agent.envoyPid as number;
  const idle = connect(port, '127.0.0.1');
  idle.on('error', () => undefined);
  t.teardown(() => idle.destroy());
  await once(idle, 'connect');
  await agent.upgrade(tagged('shop'));
  const crashed = agent.envoyPid as number;
  process.kill(crashed, 'SIGKILL');
  await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== crashed);
  await untilServes(port, 'backend');
  await untilReady(agent);
  t.is((await askReport(agent, '/api/v1/metrics')).status, 200);
  t.true(exists(before), 'it has a connection');
  await agent.upgrade(tagged('till'));
  t.like((await record(agent, 'status')).envoy, { upgrades: 2, restarts: 1 });
  await untilServes(port, 'backend');
});

thorough(test)(
  'with a socket for each worker the next Envoy takes over all of them, and no request is lost',
  async (t) => {
    const { agent, port } = await servingWorld(t, { ...quickDrain, concurrency: 2, reusePort: true });
    t.is(listenersOn(port), 2);
    const end = load(port);
    await agent.upgrade(tagged('shop'));
    const { good, faults } = await end();
    t.deepEqual(faults, []);
    t.true(good > 20, `${good}`);
    t.like((await record(agent, 'status')).envoy, { upgrades: 1, restarts: 0 });
    t.is((await ask(port, '/')).body, 'backend');
    await eventually('the sockets of one Envoy', () => listenersOn(port) === 2);
  },
);

test('a bootstrap that Envoy rejects changes nothing but what readiness and status say', async (t) => {
  const { agent, port } = await servingWorld(t, quickDrain);
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

thorough(test)('an Envoy that does not come up leaves its place to the one before', async (t) => {
  const { agent, port } = await servingWorld(t, quickDrain);
  const path = folder(t);
  const broken = join(path, 'envoy');
  // Its last words are heard after its end.
  const words = "while kill -0 $$ 2>/dev/null; do :; done; echo '[critical][main] out of luck' >&2";
  writeFileSync(broken, `#!/bin/sh\ncase "$*" in *'--mode validate'*) exit 0;; esac\n{ ${words}; } & exit 3\n`);
  chmodSync(broken, 0o755);
  const before = agent.envoyPid;
  await agent.upgrade({ envoyPath: broken });
  t.regex((await ask(agent.adminPort, '/readyz')).body, /runs as before: ended with exit code 3: out of luck/);
  t.is((await ask(port, '/')).body, 'backend');
  await untilReady(agent);
  // It had not begun to hand over.
  t.is(agent.envoyPid, before);
});

thorough(test)("a replaced binary is taken into use, and nothing is left in the machine's shared memory", async (t) => {
  const path = folder(t);
  const program = (name: string, version: string) => {
    const file = join(path, name);
    writeFileSync(file, `#!/bin/sh\n# ${version}\nexec '${envoyPath()}' "$@"\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const workDir = join(path, 'work');
  const binary = program('envoy', 'old');
  const watchdog = { intervalMs: 200, patienceMs: 60_000 };
  const { agent, port } = await servingWorld(t, { ...quickDrain, envoyPath: binary, workDir, watchdog });
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

/** Runs the program where `/dev/shm` is there and cannot be written to, by root neither. */
function startWithoutSharedMemory(t: ExecutionContext, config: string): void {
  const script = 'mount -t tmpfs -o ro,size=4k gatewright-test /dev/shm && exec "$@"';
  const command = [process.execPath, programFile, 'data-plane', '--config', config];
  const env = { ...process.env, SVC_GW_NODE_ID: 'node-1', ENVOY_PATH: envoyPath() };
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], { env, stdio: 'ignore' });
  const ended = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
}

thorough(test)(
  'without shared memory the Envoy before serves out what it has begun and ends, then the next one starts',
  async (t) => {
    if (process.getuid?.() !== 0) {
      t.log('only root may mount a file system');
      t.pass();
      return;
    }
    const { backend, controlPlane, port } = await publishedWorld(t);
    const adminPort = await freePort();
    const config = join(folder(t), 'config.yaml');
    const write = (more: object) =>
      writeFileSync(
        config,
        JSON.stringify({
          log: { level: 'error' },
          dataplane: {
            cluster: gateway,
            xdsAddress: controlPlane.address,
            adminListen: `127.0.0.1:${adminPort}`,
            adminAuth: { bearerToken: agentToken },
            drainTime: '30s',
            ...more,
          },
        }),
      );
    write({});
    startWithoutSharedMemory(t, config);
    await untilServes(port, 'backend');
    const envoy = async () => JSON.parse((await askReport(adminPort, '/api/v1/status')).body).envoy;
    const { pid: before } = await envoy();
    const flags = readFileSync(`/proc/${before}/cmdline`, 'utf8').split('\0');
    t.true(flags.includes('--disable-hot-restart'), flags.join(' '));

    const slow = ask(port, '/slow');
    const finish = await backend.slowRequest();
    write(tagged('shop'));
    await eventually('the drain', async () => (await askToKeep(port)).headers.connection === 'close');
    t.true(exists(before), 'a request is under way');
    finish();
    t.is((await slow).body, 'backend');
    await eventually('the other Envoy', async () => (await envoy()).upgrades === 1 && (await envoy()).state === 'LIVE');
    t.not((await envoy()).pid, before);
    t.false(exists(before));
    await untilServes(port, 'backend');
    t.regex((await askReport(adminPort, '/api/v1/metrics')).body, /team="shop"/);
  },
);

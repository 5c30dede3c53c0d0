import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import type { DataPlaneAgent } from '../../src/agent/index.ts';
import { cluster, endpoints } from '../support/agent-resources.ts';
import {
  ask,
  askReport,
  eventually,
  folder,
  record,
  servingWorld,
  startAgent,
  startBackend,
  untilReady,
  untilServes,
} from '../support/agent-world.ts';
import { envoyPath } from '../support/envoy.ts';
import { logLines } from '../support/log-lines.ts';
import { thorough } from '../support/repetitions.ts';
import { smallDisk } from '../support/small-disk.ts';

/** Waits for what `/readyz` says. */
const untilSaid = (agent: DataPlaneAgent, pattern: RegExp) =>
  eventually(`readiness to say ${pattern}`, async () => {
    const answer = await ask(agent.adminPort, '/readyz');
    return pattern.test(answer.body) && answer;
  });

async function metric(agent: DataPlaneAgent, name: string): Promise<number> {
  const { body } = await askReport(agent, '/api/v1/metrics');
  const line = body.split('\n').find((each) => each.startsWith(`gatewright_gateway_dataplane_${name} `));
  return Number(line?.split(' ')[1]);
}

const fault = (agent: DataPlaneAgent, reason: string) => metric(agent, `fault{reason="${reason}"}`);

test('an Envoy that ends repeatedly is reported with its message, restarted with backoff, and serves when it can', async (t) => {
  const path = folder(t);
  const [broken, script] = [join(path, 'broken'), join(path, 'envoy')];
  writeFileSync(
    script,
    `#!/bin/sh\n[ -e '${broken}' ] && { echo '[critical][main] out of luck' >&2; exit 3; }\nexec '${envoyPath()}' "$@"\n`,
  );
  chmodSync(script, 0o755);
  const { agent, port } = await servingWorld(t, { envoyPath: script });
  writeFileSync(broken, '');
  process.kill(agent.envoyPid as number, 'SIGKILL');
  const answer = await untilSaid(agent, /exit code 3: out of luck/);
  t.is(answer.status, 503);
  await eventually('the loop', async () => (await fault(agent, 'envoy_crash_loop')) === 1);
  await untilSaid(agent, /warning: Envoy ended \d+ times soon after its start/);
  // While it is tried again, Envoy runs for a moment.
  await eventually('it to be said not to run', async () => (await fault(agent, 'envoy_not_running')) === 1);
  t.is(await metric(agent, 'ready{node_id="node-1",gateway="test/edge"}'), 0);
  t.true((await metric(agent, 'envoy_restarts_total')) >= 2);
  rmSync(broken);
  await untilReady(agent);
  t.is((await ask(port, '/')).body, 'backend');
  t.is(await fault(agent, 'envoy_not_running'), 0);
});

thorough(test)('an Envoy that hangs is not ready, is killed in time, and another one serves', async (t) => {
  const { logger, find } = logLines();
  const { agent, port } = await servingWorld(t, { watchdog: { intervalMs: 200, patienceMs: 8000 }, logger });
  const pid = agent.envoyPid as number;
  process.kill(pid, 'SIGSTOP');
  const answer = await untilSaid(agent, /Envoy does not answer/);
  t.is(answer.status, 503);
  await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
  await untilServes(port, 'backend');
  await untilReady(agent);
  t.is(await metric(agent, 'envoy_hangs_total'), 1);
  t.is(await metric(agent, 'envoy_restarts_total'), 1);
  t.is(find(/Envoy is unresponsive/).length, 1);
  t.regex(String(find(/Envoy ended; restarting it/)[0]?.reason), /did not answer for \d+ s/);
});

/** Undefined: another program has the port. */
const squat = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer().listen(port, '127.0.0.1');
    server.once('listening', () => resolve(server)).once('error', () => resolve(undefined));
  });

thorough(test)('a taken port is reported while no control plane is there, and bound when it is free', async (t) => {
  const { agent, controlPlane, port } = await servingWorld(t);
  await controlPlane.stop();
  await eventually('no stream', async () => !(await record(agent, 'xds/status')).connected);
  // A program that retries without a pause gets the port as soon as Envoy is gone.
  const squatter = await eventually('the port', () => {
    if (agent.envoyPid !== undefined) process.kill(agent.envoyPid, 'SIGKILL');
    return squat(port);
  });
  t.teardown(() => squatter.close());
  const answer = await untilSaid(agent, /not bound: listener .*Address already in use/);
  t.is(answer.status, 503);
  t.is(await fault(agent, 'listener_not_bound'), 1);
  squatter.close();
  await untilServes(port, 'backend');
  await untilReady(agent);
  t.is(await fault(agent, 'listener_not_bound'), 0);
  t.is((await record(agent, 'status')).serving, 'cached');
});

thorough(test)(
  'a full disk: serving and changes go on, status reports what is not kept, and it is kept when there is room',
  async (t) => {
    const disk = await smallDisk(t, 256);
    if (typeof disk === 'string') {
      t.log(`skipped: ${disk}`);
      t.pass();
      return;
    }
    const directory = join(disk.path, 'cache');
    const { logger, find } = logLines();
    const { agent, controlPlane, port, resources } = await servingWorld(t, { cache: { directory }, logger });
    await eventually('it to be kept', async () => (await record(agent, 'status')).cache.written_at !== null);
    await disk.fill();
    const other = await startBackend(t, 'other');
    // More than fits into the last page of the file.
    const names = Array.from({ length: 100 }, (_, at) => `more-${at}`);
    const more = names.flatMap((name) => [cluster(name), endpoints(name, other.port)]);
    controlPlane.publish('s2', [...resources.slice(0, 3), ...more, endpoints('c', other.port)]);
    await untilServes(port, 'other');
    const answer = await untilSaid(agent, /warning: the configuration cannot be kept on disk: ENOSPC/);
    t.is(answer.status, 200);
    t.true((await metric(agent, 'cache_write_failures_total')) >= 1);
    t.is(await fault(agent, 'configuration_not_kept'), 1);
    t.like((await record(agent, 'status')).cache, { fault: 'ENOSPC: no space left on device, write' });
    await disk.free();
    await untilSaid(agent, /^ready$/);
    t.is(await fault(agent, 'configuration_not_kept'), 0);
    t.is(find(/failed to keep the configuration on disk/).length, 1);
    t.is(find(/is kept on disk again/).length, 1);

    await controlPlane.stop();
    await agent.stop({ drain: false });
    await startAgent(t, controlPlane.address, { cache: { directory } });
    await untilServes(port, 'other');
  },
);

thorough(test)('a full or read-only work directory is reported, and Envoy starts when it can', async (t) => {
  const disk = await smallDisk(t, 64);
  if (typeof disk === 'string') {
    t.log(`skipped: ${disk}`);
    t.pass();
    return;
  }
  const { agent, port } = await servingWorld(t, { workDir: disk.path });
  await rm(join(disk.path, 'envoy.json'));
  await disk.fill();
  process.kill(agent.envoyPid as number, 'SIGKILL');
  const full = await untilSaid(agent, /work directory .*ENOSPC/);
  t.is(full.status, 503);
  t.is(await fault(agent, 'files_not_writable'), 1);
  await disk.free();
  await untilReady(agent);
  t.is((await ask(port, '/')).body, 'backend');

  await disk.cover();
  process.kill(agent.envoyPid as number, 'SIGKILL');
  const readOnly = await untilSaid(agent, /work directory .*(EROFS|read-only)/);
  t.is(readOnly.status, 503);
  t.is(await fault(agent, 'files_not_writable'), 1);
  await disk.uncover();
  await untilReady(agent);
  t.is((await ask(port, '/')).body, 'backend');
  t.is(await fault(agent, 'files_not_writable'), 0);
});

thorough(test)('removed sockets are created again before an Envoy needs them', async (t) => {
  const workDir = folder(t);
  const { agent, controlPlane, port, resources } = await servingWorld(t, {
    workDir,
    watchdog: { intervalMs: 100, patienceMs: 60_000 },
  });
  const sockets = ['xds.sock', 'ask.sock', 'sess.sock', 'pass.sock'];
  await Promise.all(sockets.map((name) => rm(join(workDir, name))));
  await eventually('the sockets', () => sockets.every((name) => existsSync(join(workDir, name))));
  const other = await startBackend(t, 'other');
  controlPlane.publish('s2', [...resources.slice(0, 3), endpoints('c', other.port)]);
  await untilServes(port, 'other');
  const pid = agent.envoyPid as number;
  process.kill(pid, 'SIGKILL');
  await eventually('another Envoy', () => agent.envoyPid !== undefined && agent.envoyPid !== pid);
  await untilServes(port, 'other');
  t.like(await record(agent, 'xds/status'), { connected: true, last_config_status: 'ACK' });
});

thorough(test)('two data planes with one node id: both say so, and neither comes back at full speed', async (t) => {
  const [one, other] = [logLines(), logLines()];
  const { agent, controlPlane, port } = await servingWorld(t, { logger: one.logger });
  const rival = await startAgent(t, controlPlane.address, { logger: other.logger });
  const startedAt = Date.now();
  const agents = [agent, rival];
  await eventually('both to know', async () => {
    const said = await Promise.all(agents.map(async (each) => (await record(each, 'xds/status')).duplicate_node_id));
    return said.every(Boolean);
  });
  for (const each of agents) {
    t.regex((await record(each, 'xds/status')).last_disconnect_reason, /superseded/);
    t.is(await fault(each, 'duplicate_node_id'), 1);
    await untilSaid(each, /warning: another data plane connects with the same node_id/);
  }
  for (const { find } of [one, other]) t.true(find(/stream superseded: another data plane connected/).length >= 1);
  const seconds = (Date.now() - startedAt) / 1000;
  const replaced = (await metric(agent, 'xds_superseded_total')) + (await metric(rival, 'xds_superseded_total'));
  t.true(replaced <= 2 + seconds / 4, `${replaced} times in ${seconds} s`);
  t.is((await ask(port, '/')).body, 'backend');
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { cluster, endpoints, httpListener, routes } from '../support/agent-resources.ts';
import { ask, startAgent, startBackend, startControlPlane, untilReady } from '../support/agent-world.ts';
import { envoyPath, freePort, until } from '../support/envoy.ts';

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('stop lets a slow request finish, closes its connection, and leaves nothing behind', async (t) => {
  const [backend, controlPlane, port] = [await startBackend(t), await startControlPlane(t), await freePort()];
  const workDir = await mkdtemp(join(tmpdir(), 'gatewright-test-'));
  t.teardown(() => rm(workDir, { recursive: true, force: true }));
  const listener = httpListener(port);
  controlPlane.publish('s1', [listener, routes(listener.name, 'c'), cluster('c'), endpoints('c', backend.port)]);
  const agent = await startAgent(t, controlPlane.address, { drainTimeMs: 30_000, workDir });
  await untilReady(agent);
  const pid = agent.envoyPid as number;
  const slow = ask(port, '/slow');
  const finish = await backend.slowRequest();
  const stopped = agent.stop();
  const draining = await until('draining', async () => {
    const readyz = await ask(agent.adminPort, '/readyz');
    return readyz.status === 503 && readyz;
  });
  t.is(draining.body, 'not ready: draining');
  t.is((await ask(agent.adminPort, '/healthz')).status, 200);
  const late = await until('a response that closes', async () => {
    const answer = await ask(port, '/');
    return answer.headers.connection === 'close' && answer;
  });
  t.is(late.body, 'backend');
  finish();
  t.is((await slow).body, 'backend');
  await stopped;
  t.false(exists(pid));
  await t.throwsAsync(ask(port, '/'), { code: 'ECONNREFUSED' });
  t.deepEqual(
    ['envoy.json', 'admin.sock', 'xds.sock'].filter((file) => existsSync(join(workDir, file))),
    [],
  );
});

test('a drain ends when its time is over, and at once when told so', async (t) => {
  const [backend, controlPlane, port] = [await startBackend(t), await startControlPlane(t), await freePort()];
  const listener = httpListener(port);
  controlPlane.publish('s1', [listener, routes(listener.name, 'c'), cluster('c'), endpoints('c', backend.port)]);
  const short = await startAgent(t, controlPlane.address, { drainTimeMs: 300 });
  await untilReady(short);
  const cut = t.throwsAsync(ask(port, '/slow'), { code: 'ECONNRESET' });
  await backend.slowRequest();
  await short.stop();
  await cut;

  const long = await startAgent(t, controlPlane.address, { drainTimeMs: 600_000 });
  await untilReady(long);
  const cutToo = t.throwsAsync(ask(port, '/slow'), { code: 'ECONNRESET' });
  await backend.slowRequest();
  const stopping = long.stop();
  await Promise.all([stopping, long.stop({ drain: false })]);
  await cutToo;
});

test('an agent that is killed takes Envoy with it, and another one can start in its place', async (t) => {
  const workDir = await mkdtemp(join(tmpdir(), 'gatewright-test-'));
  t.teardown(() => rm(workDir, { recursive: true, force: true }));
  const pids: number[] = [];
  for (let turn = 0; turn < 2; turn += 1) {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../support/agent-process.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, AGENT_ENVOY: envoyPath(), AGENT_WORK_DIR: workDir },
    });
    t.teardown(() => child.kill('SIGKILL'));
    const pid = await envoyPidOf(child);
    t.teardown(() => exists(pid) && process.kill(pid, 'SIGKILL'));
    pids.push(pid);
    t.true(exists(pid));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until('Envoy to end', () => !exists(pid));
  }
  t.not(pids[0], pids[1]);
});

/** The agent's process says its Envoy's process id, once that answers. */
async function envoyPidOf(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error('no output');
  for await (const chunk of child.stdout) {
    const pid = Number(String(chunk));
    if (pid > 0) return pid;
  }
  throw new Error('the agent ended without a word');
}

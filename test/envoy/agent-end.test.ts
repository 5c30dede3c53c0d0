import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { cluster, endpoints, httpListener, routes } from '../support/agent-resources.ts';
import {
  ask,
  askToKeep,
  eventually,
  startAgent,
  startBackend,
  startControlPlane,
  untilReady,
} from '../support/agent-world.ts';
import { envoyPath } from '../support/envoy.ts';
import { thorough } from '../support/repetitions.ts';

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
  const draining = await eventually('draining', async () => {
    const readyz = await ask(agent.adminPort, '/readyz');
    return readyz.status === 503 && readyz;
  });
  t.is(draining.body, 'not ready: draining');
  t.is((await ask(agent.adminPort, '/healthz')).status, 200);
  const late = await eventually('a response that closes', async () => {
    const answer = await askToKeep(port);
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

thorough(test)('a drain ends when its time is over, and at once on request', async (t) => {
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

thorough(test)('a killed agent takes Envoy along, and the next agent finds its port free', async (t) => {
  const [directory, port] = [await mkdtemp(join(tmpdir(), 'gatewright-test-')), await freePort()];
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const bootstrap = join(directory, 'envoy.json');
  await writeFile(bootstrap, JSON.stringify({ static_resources: { listeners: [listenerOn(port)] } }));
  for (const turn of ['first', 'second']) {
    const owner = fork(join(import.meta.dirname, '../support/envoy-owner.ts'), [envoyPath(), bootstrap]);
    t.teardown(() => owner.kill('SIGKILL'));
    await eventually(`the ${turn} Envoy`, () => connects(port));
    owner.send('pid');
    const [pid] = (await once(owner, 'message')) as [number];
    t.teardown(() => exists(pid) && process.kill(pid, 'SIGKILL'));
    t.true(exists(pid));
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await eventually('Envoy to end', () => !exists(pid));
    t.false(await connects(port));
  }
});

/** A listener that takes connections and does nothing with them; only one program can have its port. */
const listenerOn = (port: number) => ({
  name: 'tcp',
  address: { socket_address: { address: '127.0.0.1', port_value: port } },
  enable_reuse_port: false,
  filter_chains: [{}],
});

const connects = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('connect', () => socket.destroy());
    socket.once('error', () => resolve(false));
  });

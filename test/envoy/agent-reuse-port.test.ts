import { join } from 'node:path';
import test from 'ava';
import { endpoints, httpListener } from '../support/agent-resources.ts';
import {
  eventually,
  folder,
  record,
  servingWorld,
  startAgent,
  startBackend,
  untilNotBound,
  untilReady,
  untilServes,
  worldWithTakenPort,
} from '../support/agent-world.ts';
import { thorough } from '../support/repetitions.ts';
import { listenersOn } from '../support/tcp-sockets.ts';

const workers = 2;

test('with reusePort each worker has a socket of its own on a port, without it they have one', async (t) => {
  const shared = await servingWorld(t, { concurrency: workers });
  t.is(listenersOn(shared.port), 1);
  const { port, agent, controlPlane, resources } = await servingWorld(t, { concurrency: workers, reusePort: true });
  t.is(listenersOn(port), workers);

  // The listener changes, and comes once more to an Envoy that starts again: the control plane says the same of it as ever.
  const other = await startBackend(t, 'other');
  const listener = httpListener(port, `http/${port}`, 2048);
  controlPlane.publish('s2', [listener, ...resources.slice(1, 3), endpoints('c', other.port)]);
  await untilServes(port, 'other');
  await eventually('s2', async () => (await record(agent, 'status')).config_version === 's2');
  t.is((await record(agent, 'xds/status')).last_config_status, 'ACK');
  t.is(listenersOn(port), workers);
  process.kill(agent.envoyPid as number, 'SIGKILL');
  await untilServes(port, 'other');
  await untilReady(agent);
  t.is(listenersOn(port), workers);
});

thorough(test)('what is kept on disk says nothing of it: the next start has what that start asks for', async (t) => {
  const cache = { directory: join(folder(t), 'cache') };
  const { agent, controlPlane, port } = await servingWorld(t, { concurrency: workers, cache });
  await controlPlane.stop();
  await agent.stop({ drain: false });
  for (const reusePort of [true, false]) {
    const next = await startAgent(t, controlPlane.address, { concurrency: workers, cache, reusePort });
    await untilReady(next);
    t.is((await record(next, 'status')).serving, 'cached');
    t.is(listenersOn(port), reusePort ? workers : 1);
    await next.stop({ drain: false });
  }
});

thorough(test)('with reusePort too, a port of another program is reported, and bound when it is free', async (t) => {
  const { agent, port, taken, free } = await worldWithTakenPort(t, { concurrency: workers, reusePort: true });
  const answer = await untilNotBound(agent, taken);
  t.is(answer.status, 503);
  t.regex(answer.body, new RegExp(`listener http/${taken}\\b.*Address already in use`));
  await untilServes(port, 'backend');
  free();
  await untilServes(taken, 'backend');
  await untilReady(agent);
  t.is(listenersOn(taken), workers);
});

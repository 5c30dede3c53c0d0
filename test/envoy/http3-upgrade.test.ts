import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createAuthority } from '../../scripts/example/certificate.ts';
import { quicListener } from '../support/agent-resources.ts';
import { eventually, publishedWorld, startAgent, untilReady } from '../support/agent-world.ts';
import { startHttp3Talk } from '../support/http3-talk.ts';

const tagged = (team: string) => ({
  bootstrap: { stats_config: { stats_tags: [{ tag_name: 'team', fixed_value: team }] } },
});

/** Slow machines ask that often too. */
const leastAsked = 30;

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('HTTP/3 outlasts an upgrade in place: no request is lost, on new connections, busy ones and idle ones', async (t) => {
  t.timeout(300_000);
  const authority = await createAuthority('ours');
  const { controlPlane, backend, port, resources, listener } = await publishedWorld(t);
  const certificate = await authority.issue({ hostnames: ['web.test'] });
  controlPlane.publish('s2', [...resources, quicListener(port, listener.name, certificate)]);
  const options = { concurrency: 2, drainTimeMs: 5000, handoverMs: 30_000 };
  const agent = await startAgent(t, controlPlane.address, options);
  await untilReady(agent);
  const { ask } = await startHttp3Talk(t, { host: 'web.test', port, ca: authority.certificatePem });
  await eventually('HTTP/3', async () => (await ask('/', null)).status === 200);
  const idle = ['idle 1', 'idle 2', 'idle 3', 'idle 4'];
  const connections = await Promise.all(idle.map(async (name) => (await ask('/', name)).connection));
  const slow = ask('/slow', 'slow');
  const finish = await backend.slowRequest();

  const over = new AbortController();
  const faults: string[] = [];
  const used = new Set<number>();
  let good = 0;
  const asking = [null, 'busy'].map(async (on) => {
    while (!over.signal.aborted || good + faults.length < leastAsked) {
      try {
        const { status, connection, resets } = await ask('/', on);
        if (status !== 200 || resets > 0) faults.push(`${status} after ${resets} resets`);
        else good += 1;
        if (on) used.add(connection);
        // Two clients that never pause would take the CPU from the Envoys that they ask.
        await delay(20);
      } catch (error) {
        faults.push((error as Error).message);
      }
    }
  });
  const before = agent.envoyPid as number;
  await agent.upgrade(tagged('shop'));
  t.not(agent.envoyPid, before);
  t.true(exists(before));
  finish();
  t.is((await slow).body, 'backend');
  // The former Envoy answers on these connections: their datagrams are handed on to it.
  for (const [index, name] of idle.slice(0, 2).entries()) {
    const { status, connection } = await ask('/', name);
    t.deepEqual([status, connection], [200, connections[index]]);
  }
  await eventually('the busy client to be sent elsewhere', () => used.size > 1);
  t.true(exists(before));
  const third = await ask('/', 'idle 3');
  t.deepEqual([third.status, third.connection], [200, connections[2]]);
  await eventually('the end of the former', () => !exists(before));
  // What was idle all the time has heard that its connection is closed.
  t.is((await ask('/', 'idle 4')).status, 200);
  over.abort();
  await Promise.all(asking);
  t.deepEqual(faults, []);
  t.true(good > 20, `${good}`);
});

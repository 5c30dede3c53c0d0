import test from 'ava';
import { askToKeep, eventually, servingWorld } from '../support/agent-world.ts';

/** How long a proxy that leaves goes on serving, with a real Envoy. */

test('a proxy that leaves serves for its shortest time, although nothing is under way', async (t) => {
  const minDrainTimeMs = 2500;
  const { agent, port } = await servingWorld(t, { drainTimeMs: 60_000, minDrainTimeMs });
  t.not((await askToKeep(port)).headers.connection, 'close');
  const leftAt = performance.now();
  const stopped = agent.stop();
  const last = await eventually('an answer that closes', async () => {
    const answer = await askToKeep(port);
    return answer.headers.connection === 'close' && answer;
  });
  t.is(last.body, 'backend');
  await stopped;
  const servedMs = performance.now() - leftAt;
  t.true(servedMs >= minDrainTimeMs, `${servedMs} ms`);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { root } from '../../scripts/paths.mjs';
import { type RolloutLoad, RolloutWorld } from './support/rollout-world.ts';
import { deadlineMs } from './support/until.ts';

/** `npm run bench -- deployment-rollouts` has a longer one. */
const rollouts = Number(process.env.ROLLOUTS ?? 10);
const rolloutsOfProxies = 3;

test.beforeEach((t) => t.timeout(rollouts * deadlineMs));

const open = (t: ExecutionContext, namespace: string) =>
  RolloutWorld.open(t, namespace, readFileSync(join(root, 'test/support/exiting-server.ts'), 'utf8'));

async function noneLost(t: ExecutionContext, load: RolloutLoad): Promise<void> {
  const outcomes = await load.stop();
  t.log(outcomes);
  const kinds = Object.entries(outcomes).map(([protocol, counts]) => [protocol, Object.keys(counts)]);
  t.deepEqual(Object.fromEntries(kinds), { http1: ['200'], h2c: ['200'], grpc: ['200'], 'grpc-go': ['200'] });
}

test.serial(
  'ten rollouts of Deployments that end at SIGTERM, without a preStop hook, cost no request of a safe method and no call',
  async (t) => {
    const world = await open(t, 'cluster-rollouts');
    const load = await world.startLoad();
    for (let done = 0; done < rollouts; done++) await world.rollOut();
    await noneLost(t, load);
  },
);

// A proxy that leaves says so by GOAWAY. A call that the client's library has queued then never leaves the client, and the library repeats it.
test.serial(
  'rollouts of the proxies cost no request, and no call of a client that repeats what was never sent',
  async (t) => {
    const world = await open(t, 'cluster-proxy-rollouts');
    const load = await world.startLoad({ repeats: true });
    for (let done = 0; done < rolloutsOfProxies; done++) await world.rollOutProxies();
    await noneLost(t, load);
  },
);

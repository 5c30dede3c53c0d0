import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../scripts/paths.mjs';
import { type Protocol, RolloutWorld } from './support/rollout-world.ts';
import { deadlineMs } from './support/until.ts';

/** `npm run bench -- deployment-rollouts` has a longer one. */
const rollouts = Number(process.env.ROLLOUTS ?? 10);

test.beforeEach((t) => t.timeout(rollouts * deadlineMs));

test.serial(
  'ten rollouts of Deployments that end at SIGTERM, without a preStop hook, cost no request of a safe method',
  async (t) => {
    const script = readFileSync(join(root, 'test/support/exiting-server.ts'), 'utf8');
    const world = await RolloutWorld.open(t, 'cluster-rollouts', script);
    const load = await world.startLoad();
    for (let done = 0; done < rollouts; done++) await world.rollOut();
    const outcomes = await load.stop();
    t.log(outcomes);
    const lost = (protocol: Protocol) => Object.entries(outcomes[protocol]).filter(([outcome]) => outcome !== '200');
    t.deepEqual({ http1: lost('http1'), h2c: lost('h2c') }, { http1: [], h2c: [] });
    // Node's HTTP/2 server sometimes answers a call that its GOAWAY has left out. Such an answer has begun: it cannot be asked for again.
    const calls = lost('grpc').reduce((sum, [, count]) => sum + count, 0);
    t.true(calls <= rollouts, `${calls} calls failed in ${rollouts} rollouts`);
  },
);

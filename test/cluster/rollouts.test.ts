import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../scripts/paths.mjs';
import { type Protocol, RolloutWorld } from './support/rollout-world.ts';
import { deadlineMs } from './support/until.ts';

/** `npm run bench -- deployment-rollouts` has a longer one. */
const rollouts = Number(process.env.ROLLOUTS ?? 10);

test.beforeEach((t) => t.timeout(rollouts * deadlineMs));

test.serial('Deployments that end at SIGTERM, without a preStop hook, lose no request in ten rollouts', async (t) => {
  const script = readFileSync(join(root, 'test/support/exiting-server.ts'), 'utf8');
  const world = await RolloutWorld.open(t, 'cluster-rollouts', script);
  const load = await world.startLoad();
  for (let done = 0; done < rollouts; done++) await world.rollOut();
  const outcomes = await load.stop();
  t.log(outcomes);
  const lost = (protocol: Protocol) => Object.keys(outcomes[protocol]).filter((outcome) => outcome !== '200');
  t.deepEqual({ http1: lost('http1'), h2c: lost('h2c'), grpc: lost('grpc') }, { http1: [], h2c: [], grpc: [] });
});

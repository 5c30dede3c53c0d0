import test from 'ava';
import { ObjectMaker, snapshotForEnvoy } from '../support/fuzz/small-world.ts';
import { TakingEnvoy } from '../support/fuzz/taking-envoy.ts';

test('Envoy takes all that is made of hostile objects', async (t) => {
  t.timeout(600_000);
  const maker = await ObjectMaker.load();
  const envoy = await TakingEnvoy.start();
  t.teardown(() => envoy.stop());
  const nacks: string[] = [];
  for (let seed = 10_000; seed < 10_000 + 100; seed += 1)
    nacks.push(...(await envoy.take(snapshotForEnvoy(maker.make(seed).valid))).map((nack) => `seed ${seed}: ${nack}`));
  t.deepEqual(nacks, []);
});

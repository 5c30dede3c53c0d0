import { buildEitherWay, ObjectMaker, snapshotForEnvoy } from '../../test/support/fuzz/small-world.ts';
import { TakingEnvoy } from '../../test/support/fuzz/taking-envoy.ts';
import type { FuzzOptions, FuzzResult } from './fuzz-part.ts';

/** Small worlds, one after the other, each with a seed of its own: this seed and those that follow. */
export async function fuzzWorlds({ seed, objects: wanted, hasTime }: FuzzOptions): Promise<FuzzResult> {
  const maker = await ObjectMaker.load();
  const envoy = await TakingEnvoy.start();
  const faults: string[] = [];
  let [worlds, objects, rejected] = [0, 0, 0];
  for (; objects < wanted && hasTime(); worlds += 1) {
    const made = maker.make(seed + worlds);
    objects += made.valid.length + made.rejected;
    rejected += made.rejected;
    try {
      buildEitherWay(made);
      const nacks = await envoy.take(snapshotForEnvoy(made.valid));
      faults.push(...nacks.map((nack) => `world ${made.seed}: Envoy rejects: ${nack}`));
    } catch (error) {
      faults.push(`world ${made.seed}: ${(error as Error).stack}`);
    }
  }
  await envoy.stop();
  return { faults, worlds, objects, rejectedByDefinitions: rejected };
}

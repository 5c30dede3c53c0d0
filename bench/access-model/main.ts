/**
 * Holds what a real gateway answers against a model of docs/access-policies.md: thousands of random sets of policies, each in the place of the
 * former one, and requests with random credentials. Then changes policies under busy connections: without credentials no request may get in, and
 * with them none may fail. Ends with 1, the seed and a small failing case where a request is answered otherwise.
 *
 *     npm run bench -- access-model [SETS] [CHANGES] [SEED]
 */
import { checkCases } from '../../test/support/access-model/check-cases.ts';
import { changeUnderLoad } from '../../test/support/access-model/no-gap.ts';
import { AccessRig } from '../../test/support/access-model/rig.ts';

const [sets = '10000', changes = '1000', given] = process.argv.slice(2);
const seed = Number(given ?? Date.now() % 2 ** 31);
const hosts = 24;

const print = (figures: object) => process.stdout.write(`${JSON.stringify(figures)}\n`);
const secondsSince = (began: number) => Math.round((performance.now() - began) / 1000);

async function holdAgainstModel(rig: AccessRig): Promise<void> {
  const began = performance.now();
  const tally = await checkCases(rig, { seed, runs: Math.ceil(Number(sets) / hosts), hosts, asksEach: 6 });
  const expected = Object.fromEntries([...tally.expected].sort());
  print({ seed, sets: tally.sets, requests: tally.asks, expected, seconds: secondsSince(began) });
}

async function changeWithoutGap(rig: AccessRig): Promise<void> {
  const began = performance.now();
  const { seen, faults } = await changeUnderLoad(rig, { seed, changes: Number(changes) });
  print({ seed, changes: Number(changes), seen: Object.fromEntries([...seen].sort()), seconds: secondsSince(began) });
  if (faults.length > 0) throw new Error(`seed ${seed}, ${faults.length} faults:\n${faults.slice(0, 20).join('\n')}`);
}

const rig = await AccessRig.start();
try {
  await holdAgainstModel(rig);
  await changeWithoutGap(rig);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await rig.stop();
}

import fc from 'fast-check';
import { type RejectedCase, rejectedCases } from './arbitraries.ts';
import { type Amount, describe, faultsOf, newTally, type Tally } from './check-cases.ts';
import type { AccessRig } from './rig.ts';
import { shrink } from './shrink.ts';
import { letInDuring } from './strangers.ts';
import type { World } from './world.ts';

/** One world after the other, the last of which is asked. */
interface Step {
  readonly what: string;
  readonly world: World;
  readonly asks: RejectedCase['asks'];
}

/** Each world comes with policies that proxies reject, in the place of the former one or of the same without, and is corrected. */
const stepsOf = ({ world, good, asks, isAlone }: RejectedCase): readonly Step[] => [
  ...(isAlone ? [{ what: 'before', world: good, asks: [] }] : []),
  { what: 'rejected', world, asks },
  { what: 'corrected', world: good, asks },
];

/**
 * Holds what a gateway answers against the model while proxies reject policies: what these are for is closed, and all others are answered as they should
 * be; and once it is corrected, too. Throws with the seed.
 */
export async function checkRejections(rig: AccessRig, amount: Amount): Promise<Tally> {
  const { seed, runs, hosts, asksEach, onFault, onProgress } = amount;
  const tally = newTally();
  const made = fc.sample(rejectedCases(hosts, asksEach), { seed, numRuns: runs });
  let former: World | undefined;
  for (const [run, one] of made.entries()) {
    for (const { what, world, asks } of stepsOf(one)) {
      onProgress?.(`world ${run} of ${runs}, ${what}`);
      const place = `seed ${seed}, world ${run} of ${runs}, ${what}`;
      const letIn = await letInDuring(rig, [...(former ? [former] : []), world], () => rig.apply(world));
      const faults = await faultsOf(rig, { world, asks }, { tally, former });
      const all = [...letIn.map((line) => `while it came: ${line}`), ...faults.map(describe)];
      if (all.length > 0) {
        const found = `${place}:\n${all.join('\n')}`;
        onFault?.(found);
        const [fault] = faults;
        throw new Error(fault ? `${found}\nthe same, smaller:\n${describe(await shrink(rig, fault))}` : found);
      }
      former = world;
    }
  }
  return tally;
}

import fc from 'fast-check';
import type { Endings } from '../endings.ts';
import { cases } from './arbitraries.ts';
import { type Amount, describe, faultsOf, newTally, type Tally } from './check-cases.ts';
import { RestartRig } from './restart-rig.ts';
import { watchStrangers } from './strangers.ts';

/** What else ends while no control plane is there. An agent that is killed may have kept what it had a moment before. */
const ends = ['nothing', 'Envoy', 'agent', 'agent, killed'] as const;
type End = (typeof ends)[number];

async function restart(rig: RestartRig, end: End): Promise<void> {
  if (end === 'nothing') return;
  if (end === 'Envoy') return await rig.killEnvoy();
  await rig.endAgent(end === 'agent' ? 'SIGTERM' : 'SIGKILL');
  await rig.startAgent();
}

/**
 * Each world takes the place of the former one while no control plane is there. Until one is, the former world's answers are right, also of an Envoy that
 * starts again; then this one's. What no one of them lets in without credentials never gets in. Throws with the seed.
 */
export async function checkRestarts(t: Endings, { seed, runs, hosts, asksEach }: Amount): Promise<Tally> {
  const tally = newTally();
  const steps = fc.tuple(cases(hosts, asksEach), fc.constantFrom(...ends));
  const [first, ...others] = fc.sample(steps, { seed, numRuns: runs + 1 });
  if (!first) return tally;
  let [former] = first;
  const worlds = [former.world];
  const rig = await RestartRig.start(t, former.world);
  for (const [run, [one, end]] of others.entries()) {
    worlds.push(one.world);
    const place = `seed ${seed}, restart ${run} of ${runs} (${end})`;
    const stop = watchStrangers(rig, worlds.slice(-3));
    await rig.killControlPlane();
    rig.write(one.world);
    await restart(rig, end);
    const kept = end === 'agent, killed' ? [] : await faultsOf(rig, former, { tally, former: undefined });
    await rig.startControlPlane();
    const letIn = await stop();
    const now = await faultsOf(rig, one, { tally, former: former.world });
    const faults = [
      ...letIn.map((line) => `without credentials: ${line}`),
      ...kept.map((fault) => `without a control plane: ${describe(fault)}`),
      ...now.map(describe),
    ];
    if (faults.length > 0) throw new Error(`${place}:\n${faults.join('\n')}`);
    former = one;
  }
  return tally;
}

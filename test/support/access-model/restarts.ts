import fc from 'fast-check';
import type { Endings } from '../endings.ts';
import { type Case, cases, rejectedCases } from './arbitraries.ts';
import { type Amount, describe, type Fault, faultsOf, newTally, type Tally } from './check-cases.ts';
import { RestartRig } from './restart-rig.ts';
import { letInDuring } from './strangers.ts';

/** What else ends while no control plane is there. See `onDisk` for an agent that is killed. */
const ends = ['nothing', 'Envoy', 'agent', 'agent, killed'] as const;
type End = (typeof ends)[number];

async function restart(rig: RestartRig, end: End): Promise<void> {
  if (end === 'nothing') return;
  if (end === 'Envoy') return await rig.killEnvoy();
  await rig.endAgent(end === 'agent' ? 'SIGTERM' : 'SIGKILL');
  await rig.startAgent();
}

type Step = readonly [Case, End];

const endOf = fc.constantFrom(...ends);

/** One world after the other. */
const plainSteps = ({ seed, runs, hosts, asksEach }: Amount): readonly Step[] =>
  fc.sample(fc.tuple(cases(hosts, asksEach), endOf), { seed, numRuns: runs + 1 });

/** Each world comes with policies that proxies reject, stays while all starts again, and is corrected. */
const rejectedSteps = ({ seed, runs, hosts, asksEach }: Amount): readonly Step[] =>
  fc
    .sample(fc.tuple(rejectedCases(hosts, asksEach), endOf, endOf, endOf), { seed, numRuns: Math.ceil((runs + 1) / 3) })
    .flatMap(([{ world, good, asks }, ...each]) =>
      [world, world, good].map((one, at): Step => [{ world: one, asks }, each[at] as End]),
    )
    .slice(0, runs + 1);

export interface RestartAmount extends Amount {
  /** Whether proxies reject policies meanwhile. */
  readonly areRejected?: boolean;
}

/**
 * Each world takes the place of the former one while no control plane is there. Until one is, the former world's answers are right, also of an Envoy that
 * starts again; then this one's. An agent that is killed may begin with an older world. What no one of them lets in without credentials never gets in.
 * Throws with the seed.
 */
export async function checkRestarts(t: Endings, { areRejected = false, ...amount }: RestartAmount): Promise<Tally> {
  const { seed, runs, onProgress } = amount;
  const tally = newTally();
  const [first, ...others] = areRejected ? rejectedSteps(amount) : plainSteps(amount);
  if (!first) return tally;
  let [former] = first;
  // Since the agent last ended in peace: it keeps a world some time after Envoy has taken it.
  let onDisk = [former.world];
  const rig = await RestartRig.start(t, former.world);
  for (const [run, [one, end]] of others.entries()) {
    onProgress?.(`restart ${run} of ${runs} (${end})`);
    let kept: readonly Fault[] = [];
    const served = end === 'agent, killed' ? onDisk : [former.world];
    const letIn = await letInDuring(rig, [...served, one.world], async () => {
      await rig.killControlPlane();
      rig.write(one.world);
      await restart(rig, end);
      if (end !== 'agent, killed') kept = await faultsOf(rig, former, { tally, former: undefined });
      await rig.startControlPlane();
    });
    const now = await faultsOf(rig, one, { tally, former: former.world });
    const faults = [
      ...letIn.map((line) => `without credentials: ${line}`),
      ...kept.map((fault) => `without a control plane: ${describe(fault)}`),
      ...now.map(describe),
    ];
    if (faults.length > 0) throw new Error(`seed ${seed}, restart ${run} of ${runs} (${end}):\n${faults.join('\n')}`);
    onDisk = [...(end === 'agent' ? [former.world] : onDisk), one.world];
    former = one;
  }
  return tally;
}

import fc from 'fast-check';
import { until } from '../until.ts';
import { type Case, cases } from './arbitraries.ts';
import { tokens } from './credentials.ts';
import { demandsOf } from './levels.ts';
import { verdictsOf } from './model.ts';
import { hostOf, isTls, pathOf } from './request-facts.ts';
import type { AccessRig } from './rig.ts';
import { shrink } from './shrink.ts';
import { type Gateway, letInDuring } from './strangers.ts';
import type { Ask, World } from './world.ts';

export interface Amount {
  readonly seed: number;
  /** How often the world is replaced. */
  readonly runs: number;
  readonly hosts: number;
  readonly asksEach: number;
  /** What is wrong, before a smaller case is looked for, which takes long. */
  readonly onFault?: (text: string) => void;
  /** What is done next. */
  readonly onProgress?: (text: string) => void;
}

export interface Tally {
  /** Sets of policies: those of the Gateway with those of one host. */
  sets: number;
  asks: number;
  /** How many requests had to get each answer. */
  readonly expected: Map<string, number>;
}

export const newTally = (): Tally => ({ sets: 0, asks: 0, expected: new Map() });

interface Asked {
  readonly world: World;
  readonly host: number;
  readonly ask: Ask;
}

/** A request that was answered with what the model does not allow, as AccessRig.ask says it. */
export interface Fault extends Asked {
  readonly status: string;
}

const patienceMs = 5000;

/** Whether the former world may have answered so. To it a host with another name is unknown, which lets no request in. */
const couldBe = (fault: Fault, former: World): boolean =>
  former.hosts[fault.host]?.isWildcard === fault.world.hosts[fault.host]?.isWildcard
    ? fits({ ...fault, world: former }, fault.status)
    : !fault.status.startsWith('200');

/** Holds what a gateway answers against the model, world after world. Throws with the seed and a small failing case. */
export async function checkCases(rig: AccessRig, amount: Amount): Promise<Tally> {
  const { seed, runs, hosts, asksEach, onFault, onProgress } = amount;
  const tally = newTally();
  const made = fc.sample(cases(hosts, asksEach), { seed, numRuns: runs });
  for (const [run, one] of made.entries()) {
    onProgress?.(`world ${run} of ${runs}`);
    const former = made[run - 1]?.world;
    const letIn = await letInDuring(rig, [...(former ? [former] : []), one.world], () => rig.apply(one.world));
    const place = `seed ${seed}, world ${run} of ${runs}`;
    if (letIn.length > 0) throw new Error(`${place}, while it came:\n${letIn.join('\n')}`);
    const faults = await faultsOf(rig, one, { tally, former });
    const [fault] = faults;
    if (!fault) continue;
    const found = `${place}:\n${faults.map(describe).join('\n')}`;
    onFault?.(found);
    throw new Error(`${found}\nthe same, smaller:\n${describe(await shrink(rig, fault))}`);
  }
  return tally;
}

interface Deps {
  readonly tally: Tally;
  readonly former: World | undefined;
}

/** What is answered otherwise than the model says. */
export async function faultsOf(rig: Gateway, { world, asks }: Case, { tally, former }: Deps): Promise<Fault[]> {
  const all = asks.flatMap((list, host) => list.map((ask) => ({ world, host, ask })));
  const answers = await Promise.all(all.map(({ host, ask }) => rig.ask(world, host, ask)));
  tally.sets += asks.length;
  const faults: Fault[] = [];
  for (const [index, asked] of all.entries()) {
    const status = answers[index] ?? '';
    count(asked, tally);
    if (fits(asked, status) || (former && (await isLate(rig, { ...asked, status }, former)))) continue;
    faults.push({ ...asked, status });
  }
  return faults;
}

function count({ world, host, ask }: Asked, tally: Tally): void {
  const key = [...verdictsOf(world, host, ask)].sort().join('/');
  tally.asks += 1;
  tally.expected.set(key, (tally.expected.get(key) ?? 0) + 1);
}

const fits = ({ world, host, ask }: Asked, status: string): boolean => verdictsOf(world, host, ask).has(status);

/**
 * Envoy's main thread acknowledges what its workers get a moment later. So an answer may still be the former world's, and nothing else; then the same
 * request soon gets the right one.
 */
async function isLate(rig: Gateway, fault: Fault, former: World): Promise<boolean> {
  const { host, ask } = fault;
  if (!couldBe(fault, former)) return false;
  const asksAgain = async () => fits(fault, await rig.ask(fault.world, host, ask));
  return until('the worker to catch up', asksAgain, patienceMs).then(
    () => true,
    () => false,
  );
}

export function describe({ world, host, ask, status }: Fault): string {
  const demands = demandsOf(world, host, { path: pathOf(ask), isTls: isTls(ask) }).map(
    ({ part, level, policy }) => `  ${level} ${policy.metadata.name} ${part} ${JSON.stringify(policy.spec)}`,
  );
  const token = ask.token ? `, its token ${JSON.stringify(tokens[ask.token.name])}` : '';
  const expected = [...verdictsOf(world, host, ask)].join(' or ');
  return [
    `${status} and not ${expected}: ${hostOf(world, host, ask)} ${JSON.stringify(ask)}${token}`,
    ...demands,
    `  ${JSON.stringify({ secrets: world.secrets, keySets: world.keySets })}`,
  ].join('\n');
}

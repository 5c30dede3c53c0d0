/**
 * What breaks when everything around breaks: faults one after the other, at random and with a seed, while requests are sent without a pause.
 *
 *     npm run bench -- chaos [--minutes 5] [--seed NUMBER] [--only WORDS,WORDS]
 *
 * Two control planes, two agents with their Envoys, an API server and its etcd are processes. A fault lasts some seconds: processes are killed
 * and stopped, connections are reset or pass nothing, the API server answers 429, 500 and 410 or late, a disk is full, files cannot be
 * opened, a byte of a cache is another one, clocks jump, networks part, names lead elsewhere, memory ends. All the time: a route with a healthy endpoint answers 200, and one with a policy 401. After
 * each fault: a new route answers, both control planes have one snapshot, and no more statuses changed their writer than the lease did its
 * holder. At the end: memory and descriptors. Needs Linux, root, util-linux, iproute2
 * and apt-get. Ends with 1 where one of these did not hold.
 */
import { parseArgs } from 'node:util';
import { Dice } from '../../test/support/fuzz/dice.ts';
import { inOwnNetwork } from '../host/own-network.ts';
import { Canary } from '../support/canary.ts';
import { ensureClocks } from './clock.ts';
import { faults } from './faults.ts';
import { limitsOf } from './limits.ts';
import { leaseTransitions, openWorld } from './world.ts';

const disk = '/tmp/gatewright-chaos-disk';
await ensureClocks();
inOwnNetwork({ folder: disk });
const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    only: { type: 'string', default: '' },
  },
});
const seed = Number(options.seed);
const dice = new Dice(seed);
const print = (figures: object) => process.stdout.write(`${JSON.stringify(figures)}\n`);
const wanted = options.only.split(',');
const names = Object.keys(faults).filter((name) => wanted.some((words) => name.includes(words)));
if (names.length === 0) throw new Error(`no fault has ${options.only} in its name`);

const world = await openWorld(new Dice(dice.seed()), disk);
const canaries = [
  new Canary(world.proxy.door, { host: 'steady.test', expected: [200] }),
  new Canary(world.proxy.door, { host: 'guarded.test', expected: [401] }),
  // Found by its name, about which the name server lies.
  new Canary(world.proxy.door, { host: 'named.test', expected: [200, 503] }),
  // A proxy that starts without a configuration has no port.
  new Canary(world.spare.door, { host: 'guarded.test', expected: [401, 0] }),
];
const broken: string[] = [];
const processes = () => [...world.replicas, world.proxy.process, world.spare.process];
const before = await limitsOf(processes());
const endsAt = performance.now() + Number(options.minutes) * 60_000;
let left: string[] = [];
while (performance.now() < endsAt && broken.length === 0) {
  if (left.length === 0) left = dice.shuffled(names);
  const fault = left.pop() as string;
  const asked = canaries.map((canary) => canary.asked);
  try {
    await faults[fault]?.(world, new Dice(dice.seed()));
    const converged = await world.converged();
    const requests = canaries.reduce((sum, canary, at) => sum + canary.asked - (asked[at] ?? 0), 0);
    print({ fault, requests, ...converged });
  } catch (error) {
    broken.push(`${fault}: ${(error as Error).message}`);
  }
  const { writes, changes } = await world.writers.count();
  const transitions = await leaseTransitions(world);
  if (changes > transitions)
    broken.push(
      `${fault}: statuses (${writes}) changed their writer ${changes} times, the lease its holder ${transitions} times`,
    );
  if (world.named.trapped > 0) broken.push(`${fault}: a name led to this machine ${world.named.trapped} times`);
  broken.push(...canaries.flatMap(({ wrong }) => wrong).map((one) => `${fault}: ${one}`));
}
for (const canary of canaries) await canary.stop();
const after = await limitsOf(processes());
for (const [name, { descriptors }] of Object.entries(after))
  if (descriptors > (before[name]?.descriptors ?? 0) + 60)
    broken.push(`${name} has ${descriptors} descriptors open, and had ${before[name]?.descriptors}`);
print({
  seed,
  requests: canaries.reduce((sum, { asked }) => sum + asked, 0),
  ...(await world.writers.count()),
  before,
  after,
  ends: world.replicas.map(({ ends }) => ends),
  broken: broken.length,
});
for (const one of broken) process.stderr.write(`seed ${seed}: ${one}\n`);
if (broken.length > 0) process.stderr.write(`logs: ${world.replicas[0]?.log}\n`);
if (broken.length === 0) await world.stop();
else for (const one of processes()) await one.end();
process.exitCode = broken.length > 0 ? 1 : 0;

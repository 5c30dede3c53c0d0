/**
 * An upgrade from a former commit to this checkout and back, while requests are sent without a pause.
 *
 *     npm run bench -- upgrade --from COMMIT [--built FOLDER] [--seconds 5]
 *
 * Builds the former commit in a work tree of its own below the temporary folder (`--built`: the `build/app` of one that is built already). An
 * API server has that commit's definitions and its examples, objects of every kind; two of its control planes and two agents run. Then: the
 * definitions of this checkout, one control plane after the other, the agent of a second Gateway, and the same way back, with `--seconds`
 * between. A route of the first Gateway has to answer 200 all the time; the second one's too, but while its agent is away. After each step a
 * new route answers at both; conditions that a step changes are listed, and those at the end have to be those of the beginning. No pods
 * run here, so that Gateways are Programmed as each release says of that. At last, all versions that objects are stored in are served.
 * Needs Linux, root, git and npm.
 */
import { parseArgs } from 'node:util';
import { inOwnNetwork } from '../host/own-network.ts';
import { Canary } from '../support/canary.ts';
import { buildFormer } from './build-former.ts';
import { type Conditions, differences } from './conditions.ts';
import { openUpgrade } from './world.ts';

const { values: options } = parseArgs({
  options: { from: { type: 'string' }, built: { type: 'string' }, seconds: { type: 'string', default: '5' } },
});
// Packages are fetched where there is a network.
if (options.from === undefined && options.built === undefined) throw new Error('say --from COMMIT, or --built FOLDER');
const former = process.env.GATEWRIGHT_FORMER ?? options.built ?? (await buildFormer(String(options.from)));
process.env.GATEWRIGHT_FORMER = former;
inOwnNetwork();

const print = (figures: object) => process.stdout.write(`${JSON.stringify(figures)}\n`);
const world = await openUpgrade(former);
const canaries = [
  new Canary(world.door, { host: 'steady.test', expected: [200] }),
  // A proxy that is replaced on its own has no port meanwhile.
  new Canary(world.spareDoor, { host: 'steady.test', expected: [200, 0] }),
];
const broken: string[] = [];
const first = await world.conditions();
let last: Conditions = first;

async function step(what: string, act: () => Promise<void>): Promise<void> {
  const asked = canaries.map((canary) => canary.asked);
  try {
    await act();
    const convergedMs = Math.round(await world.converged(Number(options.seconds) * 1_000));
    const now = await world.conditions();
    const requests = canaries.reduce((sum, canary, at) => sum + canary.asked - (asked[at] ?? 0), 0);
    print({ step: what, requests, convergedMs, changedConditions: differences(last, now) });
    last = now;
  } catch (error) {
    broken.push(`${what}: ${(error as Error).message}`);
  }
}

const [one, other] = world.replicas;
await step('definitions of this checkout', () => world.installDefinitions());
await step('the first control plane is this one', () => one.become('new'));
await step('the second one too', () => other.become('new'));
await step('the second Gateway has a new agent', () => world.spare.become('new'));
await step('the second Gateway has the former agent again', () => world.spare.become('former'));
await step('the first control plane is the former one again', () => one.become('former'));
await step('the second one too', () => other.become('former'));
for (const canary of canaries) await canary.stop();
broken.push(...canaries.flatMap(({ wrong }) => wrong));
const left = differences(first, last);
broken.push(...left.map((one) => `after going back: ${one}`), ...(await world.unservedVersions()));
print({
  requests: canaries.reduce((sum, { asked }) => sum + asked, 0),
  objects: Object.keys(first).length,
  broken: broken.length,
});
for (const fault of broken) process.stderr.write(`${fault}\n`);
await world.stop();
process.exitCode = broken.length > 0 ? 1 : 0;

/**
 * Holds what a real gateway answers against a model of docs/access-policies.md: thousands of random sets of policies, each in the place of the
 * former one, and requests with random credentials. Then changes policies under busy connections: without credentials no request may get in, and
 * with them none may fail. Then lets proxies reject one policy after the other, at all levels, and corrects it. Then kills control planes, agents and Envoys while one set takes the place of another. Ends with 1, the seed and a small
 * failing case where a request is answered otherwise. Says on stderr how far it is.
 *
 *     npm run bench -- access-model [SETS] [CHANGES] [SEED] [RESTARTS] [REJECTIONS] [REJECTED_RESTARTS]
 */
import { ensureTestProgram, programVariable } from '../../scripts/test-program.ts';
import { checkCases, type Tally } from '../../test/support/access-model/check-cases.ts';
import { changeUnderLoad } from '../../test/support/access-model/no-gap.ts';
import { checkRejections } from '../../test/support/access-model/rejections.ts';
import { AccessRig } from '../../test/support/access-model/rig.ts';

const [sets = '10000', changes = '1000', given, restarts = '100', rejections = '210', rejectedRestarts = '30'] =
  process.argv.slice(2);
const seed = Number(given ?? Date.now() % 2 ** 31);
const hosts = 24;

const print = (figures: object) => process.stdout.write(`${JSON.stringify(figures)}\n`);
const secondsSince = (began: number) => Math.round((performance.now() - began) / 1000);
const say = (text: string) => process.stderr.write(`${text}\n`);

const sayEachMs = 10_000;
let saidAt = Number.NEGATIVE_INFINITY;
function onProgress(text: string): void {
  const now = performance.now();
  if (now - saidAt < sayEachMs) return;
  saidAt = now;
  say(`${new Date().toISOString()} ${text}`);
}

const figuresOf = ({ sets: count, asks, expected }: Tally, began: number) => ({
  seed,
  sets: count,
  requests: asks,
  expected: Object.fromEntries([...expected].sort()),
  seconds: secondsSince(began),
});

async function holdAgainstModel(rig: AccessRig): Promise<void> {
  const began = performance.now();
  const runs = Math.ceil(Number(sets) / hosts);
  const tally = await checkCases(rig, { seed, runs, hosts, asksEach: 6, onFault: say, onProgress });
  print(figuresOf(tally, began));
}

async function changeWithoutGap(rig: AccessRig): Promise<void> {
  const began = performance.now();
  const { seen, faults } = await changeUnderLoad(rig, { seed, changes: Number(changes), onProgress });
  print({ seed, changes: Number(changes), seen: Object.fromEntries([...seen].sort()), seconds: secondsSince(began) });
  if (faults.length > 0) throw new Error(`seed ${seed}, ${faults.length} faults:\n${faults.slice(0, 20).join('\n')}`);
}

async function rejectSome(rig: AccessRig): Promise<void> {
  const began = performance.now();
  const runs = Number(rejections);
  const tally = await checkRejections(rig, { seed, runs, hosts, asksEach: 6, onFault: say, onProgress });
  print({ rejections: Number(rejections), ...figuresOf(tally, began) });
}

/** Almost all that a restart takes is the start of processes. */
async function restartBetween(runs: number, areRejected: boolean): Promise<void> {
  process.env[programVariable] ??= await ensureTestProgram();
  const { checkRestarts } = await import('../../test/support/access-model/restarts.ts');
  const began = performance.now();
  const ends: (() => unknown)[] = [];
  try {
    const t = { teardown: (end: () => unknown) => void ends.push(end) };
    const tally = await checkRestarts(t, { seed, runs, hosts, asksEach: 6, areRejected, onProgress });
    print({ [areRejected ? 'rejectedRestarts' : 'restarts']: runs, ...figuresOf(tally, began) });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function withRig(use: (rig: AccessRig) => Promise<void>): Promise<void> {
  const rig = await AccessRig.start();
  try {
    await use(rig);
  } finally {
    await rig.stop();
  }
}

try {
  if (Number(sets) > 0) await withRig(holdAgainstModel);
  if (Number(changes) > 0) await withRig(changeWithoutGap);
  if (Number(rejections) > 0) await withRig(rejectSome);
  if (Number(restarts) > 0) await restartBetween(Number(restarts), false);
  if (Number(rejectedRestarts) > 0) await restartBetween(Number(rejectedRestarts), true);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

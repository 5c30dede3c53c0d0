import { Dice } from '../../test/support/fuzz/dice.ts';
import type { ObjectMaker } from '../../test/support/fuzz/small-world.ts';
import { until } from '../../test/support/until.ts';
import type { AnyObject } from '../../test/support/world.ts';
import { type Door, statusOf } from '../support/ask.ts';
import { Canary } from '../support/canary.ts';
import type { FuzzOptions } from './fuzz-part.ts';
import { canaryStatus, liveObjects, redirectRoute } from './live-objects.ts';

/** A program that runs over objects, and how they get there. */
export interface Stage {
  /** Where the shared Gateway answers. */
  readonly door: Door;
  /** False where it is not taken: by definitions, or as no object at all. */
  put(object: AnyObject): Promise<boolean>;
  remove(object: AnyObject): Promise<void>;
  /** What is wrong at rest, such as a bad object that is not named. */
  faults(): Promise<readonly string[]>;
}

export interface Turmoil {
  readonly faults: readonly string[];
  readonly objects: number;
  readonly taken: number;
  readonly removed: number;
  readonly canaryRequests: number;
  readonly slowestPulseMs: number;
}

const canaryHost = 'canary.test';
const patienceMs = 300_000;

/** Writes hostile objects in batches, takes some back, and has a new route answer after each, while the canary is asked. */
export async function turmoil(
  stage: Stage,
  maker: ObjectMaker,
  { seed, objects: wanted, hasTime, ports }: FuzzOptions & { readonly ports: readonly number[] },
): Promise<Turmoil> {
  const dice = new Dice(seed);
  const there = new Map<string, AnyObject>();
  const faults: string[] = [];
  let [objects, taken, removed, slowestPulseMs, batch] = [0, 0, 0, 0, 0];
  await pulse(stage, canaryHost, 'canary');
  const canary = new Canary(stage.door, { host: canaryHost, expected: [canaryStatus] });
  while (objects < wanted && hasTime()) {
    for (const object of liveObjects(maker, dice, ports)) {
      objects += 1;
      const isTaken = await stage.put(object);
      taken += Number(isTaken);
      if (isTaken) there.set(idOf(object), object);
      if (dice.chance(there.size > 300 ? 0.9 : 0.25) && there.size > 0) {
        const [id, gone] = dice.pick([...there]);
        await stage.remove(gone);
        there.delete(id);
        removed += 1;
      }
    }
    batch += 1;
    const tookMs = await pulse(stage, `pulse-${batch}.test`, 'pulse').catch((error: Error) => error);
    if (tookMs instanceof Error) {
      faults.push(`seed ${seed}, batch ${batch}: ${tookMs.message}`);
      break;
    }
    slowestPulseMs = Math.max(slowestPulseMs, Math.round(tookMs));
  }
  await canary.stop();
  const { asked, wrong } = canary;
  faults.push(...wrong.map((one) => `seed ${seed}: ${one}`), ...(await stage.faults()));
  return { faults, objects, taken, removed, canaryRequests: asked, slowestPulseMs };
}

const idOf = ({ kind, metadata }: AnyObject): string => JSON.stringify([kind, metadata?.namespace, metadata?.name]);

/** Milliseconds until a route that is written now answers. */
async function pulse({ door, put }: Stage, host: string, name: string): Promise<number> {
  const began = performance.now();
  if (!(await put(redirectRoute(name, host)))) throw new Error(`${name} was not taken`);
  await untilServed(door, host);
  return performance.now() - began;
}

/** Waits until the host is served, by default the canary's. */
export async function untilServed(door: Door, host = canaryHost): Promise<void> {
  const isServed = async () => (await statusOf(door, host, false, patienceMs)) === canaryStatus;
  await until(`${host} to be served`, isServed, patienceMs);
}

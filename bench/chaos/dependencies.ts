import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { statusOf } from '../support/ask.ts';
import { changes, type Fault, secondsOf } from './fault.ts';

const [minute, hour, day] = [60, 3_600, 86_400];
/** Seconds that a clock is wrong by. */
const jumps = [10, minute, hour, 2 * day, 400 * day].flatMap((seconds) => [seconds, -seconds]);
/** Megabytes of heap, from what it cannot start with to what it starts with and cannot work with. */
const heaps = [16, 32, 40, 48];

/** Faults of what processes take for granted, by name: time, names, memory. */
export const dependencies: Readonly<Record<string, Fault>> = {
  'the clock of a control plane jumps, and jumps back': async (world, dice) => {
    const clock = dice.pick(world.clocks);
    for (let at = 0; at < 2; at += 1) {
      await clock.set(dice.pick(jumps));
      await changes(world, dice, 3);
      await delay(secondsOf(dice, 2, 15));
    }
    await clock.set(0);
  },
  'a control plane has too little memory': async (world, dice) => {
    const replica = dice.pick(world.replicas);
    await replica.kill();
    const heap = dice.pick(heaps);
    // It is started again and again, as a pod is.
    await replica.start({ NODE_OPTIONS: `--max-old-space-size=${heap}` });
    await changes(world, dice);
    await delay(secondsOf(dice, 5, 15));
    await replica.kill();
    await replica.start();
  },
  'the name server lies about a backend': async (world, dice) => {
    world.named.lie(dice);
    await changes(world, dice);
    await delay(secondsOf(dice, 3, 12));
    world.named.beRight();
    await until(
      'the backend with a name to be served again',
      async () => (await statusOf(world.proxy.door, 'named.test', false, 10_000)) === 200,
      300_000,
    );
  },
};

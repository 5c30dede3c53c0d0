import type { Dice } from '../../test/support/fuzz/dice.ts';
import { routeYaml } from './objects.ts';
import type { World } from './world.ts';

/** Does harm for some seconds, and ends with everything as it was. */
export type Fault = (world: World, dice: Dice) => Promise<void>;

/** Changes that are made while something is away. */
export async function changes({ api }: World, dice: Dice, count = 5): Promise<void> {
  for (let at = 0; at < count; at += 1)
    await api.apply(routeYaml(`changed-${at}`, `changed-${dice.below(1_000_000)}.test`));
}

/** Milliseconds. */
export const secondsOf = (dice: Dice, least: number, most: number): number =>
  (least + dice.next() * (most - least)) * 1_000;

import { setTimeout as delay } from 'node:timers/promises';
import { changes, type Fault, secondsOf } from './fault.ts';

/** Faults of networks between two that both go on: by name. */
export const partitions: Readonly<Record<string, Fault>> = {
  'control planes do not see each other': async (world, dice) => {
    // One direction, or both: each reads from the other.
    const ways = dice.chance(0.5) ? world.between : [dice.pick(world.between)];
    for (const way of ways) dice.chance(0.5) ? way.cut() : way.silence();
    await changes(world, dice);
    await delay(secondsOf(dice, 3, 20));
    for (const way of ways) way.heal();
  },
  'a control plane sees no lease': async (world, dice) => {
    const way = dice.pick(world.ways);
    way.behave('leaseless');
    await changes(world, dice);
    await delay(secondsOf(dice, 5, 20));
    way.behave('well');
  },
  'a control plane is away for the proxy, which it still has a connection to': async ({ proxy, xdsPorts }, dice) => {
    // Nothing heals this: the agent has to find out, and go to the one that answers.
    proxy.way.freeze();
    proxy.way.lead(dice.pick(xdsPorts));
  },
  'a control plane is away for the proxy, and closed': async (world, dice) => {
    const { way } = world.proxy;
    const port = dice.pick(world.xdsPorts);
    way.lead(world.closedPort);
    way.cut();
    way.heal();
    await changes(world, dice);
    await delay(secondsOf(dice, 1, 8));
    way.lead(port);
  },
};

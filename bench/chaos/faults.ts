import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { statusOf } from '../support/ask.ts';
import { dependencies } from './dependencies.ts';
import { changes, type Fault, secondsOf } from './fault.ts';
import type { Manner } from './faulty-api.ts';
import { partitions } from './partitions.ts';
import type { OwnProcess } from './replica.ts';

/** The ways to the API server are bad for a while, of both replicas or of one. */
const badApi =
  (manner: Manner): Fault =>
  async (world, dice) => {
    const ways = dice.chance(0.5) ? world.ways : [dice.pick(world.ways)];
    for (const way of ways) way.behave(manner);
    await changes(world, dice);
    await delay(secondsOf(dice, 3, 15));
    for (const way of ways) way.behave('well');
  };

async function killed(replicas: readonly OwnProcess[], awayMs: number): Promise<void> {
  for (const replica of replicas) await replica.kill();
  await delay(awayMs);
  for (const replica of replicas) await replica.start();
}

/** By name. */
export const faults: Readonly<Record<string, Fault>> = {
  ...partitions,
  ...dependencies,
  'a control plane is killed': (world, dice) => killed([dice.pick(world.replicas)], secondsOf(dice, 0, 3)),
  'both control planes are killed': (world, dice) => killed(world.replicas, secondsOf(dice, 0, 5)),
  'a control plane stands still for longer than its lease': (world, dice) =>
    dice.pick(world.replicas).freeze(secondsOf(dice, 14, 18)),
  'the agent stands still': async (world, dice) => {
    const frozen = world.proxy.process.freeze(secondsOf(dice, 3, 12));
    await changes(world, dice);
    await frozen;
  },
  'connections to the API server are reset': badApi('cut'),
  'connections to the API server pass nothing': badApi('silent'),
  'the API server answers 429': badApi('throttled'),
  'the API server answers 500': badApi('errors'),
  'the API server answers 410': badApi('gone'),
  'the API server is slow': badApi('slow'),
  'the API server starts again and knows no old versions': async (world, dice) => {
    await world.api.pause();
    await delay(secondsOf(dice, 1, 5));
    await world.api.resume();
  },
  'the proxy is cut off from control planes': async (world, dice) => {
    const { way } = world.proxy;
    if (dice.chance(0.5)) way.cut();
    else way.silence();
    await changes(world, dice);
    await delay(secondsOf(dice, 3, 15));
    way.heal();
  },
  'the proxy goes to the other control plane, again and again': async ({ proxy, xdsPorts }, dice) => {
    for (let at = 0; at < 6; at += 1) {
      proxy.way.lead(dice.pick(xdsPorts));
      proxy.way.cut();
      proxy.way.heal();
      await delay(secondsOf(dice, 0.1, 2));
    }
  },
  'the disk of the agents is full': async (world, dice) => {
    const ballast = join(world.disk, 'ballast');
    await writeFile(ballast, Buffer.alloc(1 << 30)).catch(() => undefined);
    await changes(world, dice);
    await delay(secondsOf(dice, 2, 6));
    await rm(ballast, { force: true });
  },
  'a control plane may open no more files': async (world, dice) => {
    const { pid } = dice.pick(world.replicas);
    if (pid === undefined) return;
    const open = (await readdir(`/proc/${pid}/fd`)).length;
    const limited = (limit: number) => spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
    limited(open + 2);
    await changes(world, dice);
    await delay(secondsOf(dice, 2, 8));
    limited(65_536);
  },
  'an agent is killed, its cache spoilt, and no control plane there': async (world, dice) => {
    const { process, way, cache, door } = world.spare;
    await process.kill();
    for (const name of await readdir(cache)) {
      const bytes = await readFile(join(cache, name));
      if (bytes.length === 0) continue;
      const at = dice.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.below(8));
      await writeFile(join(cache, name), bytes);
    }
    way.cut();
    await process.start();
    await delay(secondsOf(dice, 3, 8));
    way.heal();
    await until(
      'the spare proxy to serve again',
      async () => (await statusOf(door, 'steady.test', false, 10_000)) === 200,
      300_000,
    );
  },
};

import test from 'ava';
import fc from 'fast-check';
import { Leases } from '../../../src/agent/limits/leases.ts';
import type { LimitTake } from '../../../src/contracts/index.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { bucketOf, LimitWorld } from '../../support/limit-world.ts';
import { every, repetitions, thorough } from '../../support/repetitions.ts';

const runs = repetitions({ few: 15, all: 150 });

const window = fc
  .record({
    requests: fc.integer({ min: 1, max: 50 }),
    perMs: fc.constantFrom(100, 1000, 60_000),
    more: fc.integer({ min: -1, max: 40 }),
  })
  .map(({ requests, perMs, more }) => ({ requests, perMs, burst: Math.max(1, requests + more) }));

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ agent: fc.integer({ min: 0, max: 3 }), requests: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 4, arbitrary: fc.record({ ms: fc.constantFrom(1, 7, 20, 130, 600, 2500) }) },
  { weight: 1, arbitrary: fc.constant({ kill: true as const }) },
);

test('however requests, time and ends of control planes come, no more get through than the limit, and one more burst for each end', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(window, { minLength: 1, maxLength: 3 }),
      fc.array(step, { maxLength: 60 }),
      async (windows, steps) => {
        const world = new LimitWorld({ replicas: 3, agents: 4 });
        const bucket = bucketOf(windows);
        let kills = 0;
        for (const each of steps) {
          if ('kill' in each) {
            if (kills < 2) world.kill(kills++);
          } else if ('ms' in each) await world.move(each.ms);
          else await world.ask(each.agent, bucket, 'key', each.requests);
          for (const { requests, perMs, burst } of windows) {
            const most = burst * (1 + kills) + (world.clock.now() * requests) / perMs;
            if (world.outcomes.passed > most + 1e-6) return false;
          }
        }
        return world.outcomes.unknown === 0;
      },
    ),
    { numRuns: runs },
  );
  t.pass();
});

/**
 * Requests of some proxies, as parts of the limit, with control planes some milliseconds away: what came through of what one bucket would let through, and how many
 * waited for no control plane.
 */
async function share(rate: number, demands: readonly number[], wayMs: number) {
  const [burst, seconds] = [rate, 5];
  const world = new LimitWorld({ replicas: 2, agents: demands.length });
  world.wayMs = wayMs;
  const bucket = bucketOf([{ requests: rate, perMs: 1000, burst }]);
  const due = demands.map(() => 0);
  let [asked, exact, level] = [0, 0, burst];
  for (let ms = 0; ms < seconds * 1000; ms += 1) {
    for (const [agent, demand] of demands.entries()) {
      due[agent] = (due[agent] ?? 0) + (demand * rate) / 1000;
      const now = Math.floor(due[agent] ?? 0);
      due[agent] = (due[agent] ?? 0) - now;
      if (now === 0) continue;
      asked += now;
      const granted = Math.min(now, Math.floor(level));
      exact += granted;
      level -= granted;
      world.begin(agent, bucket, 'key', now);
      await world.turns();
    }
    await world.move(1);
    level = Math.min(burst, level + rate / 1000);
  }
  const { passed } = world.outcomes;
  return { passed, exact, asked, calls: world.takes, ratio: passed / exact, fromLease: world.fromLease / asked };
}

for (const [name, rate, demands, atOnce, wayMs = 1] of every(3, [
  ['four times the limit', 100, [1, 1, 1, 1], 0.99],
  ['four times the limit, far away', 100, [1, 1, 1, 1], 0.98, 5],
  // At each proxy a request in 100 ms: there is one to reject for each that may come through.
  ['four times a small limit', 10, [1, 1, 1, 1], 0.7],
  ['four times the limit, at two proxies', 50, [2, 2], 0.98],
  ['four times the limit, at two proxies far away', 50, [2, 2], 0.96, 5],
  ['four times a large limit', 1000, [1, 1, 1, 1], 0.99],
  ['a proxy with nine tenths of it', 100, [3.6, 0.14, 0.13, 0.13], 0.95],
  ['less than the limit', 100, [0.2, 0.2, 0.2, 0.2], 0.95],
  ['less than a small limit, by one proxy', 10, [0.5], 0.9],
  ['less than the limit, by one proxy', 100, [0.77, 0.01, 0.01, 0.01], 0.95],
  ['about the limit', 200, [0.25, 0.25, 0.25, 0.25], 0.95],
] as const)) {
  test(`at least 98 % of the limit is granted, and never more: ${name}`, async (t) => {
    const { passed, exact, asked, calls, ratio, fromLease } = await share(rate, demands, wayMs);
    t.log({ passed, exact, asked, calls, ratio, fromLease });
    t.true(passed <= rate + rate * 5);
    t.true(ratio >= 0.98, `${ratio}`);
    t.true(calls <= asked);
    t.true(fromLease >= atOnce, `${fromLease} are decided at once`);
  });
}

test('while requests come evenly, and are fewer than the limit, none waits for a control plane', async (t) => {
  const world = new LimitWorld({ replicas: 2, agents: 2 });
  world.wayMs = 20;
  const bucket = bucketOf([{ requests: 1000, perMs: 1000, burst: 1000 }]);
  const send = async (ms: number) => {
    for (let at = 0; at < ms; at += 4) {
      for (const agent of world.agents.keys()) world.begin(agent, bucket, 'key', 1);
      await world.move(4);
    }
  };
  await send(1000);
  const atOnce = world.fromLease;
  await send(4000);
  t.is(world.fromLease - atOnce, 2000);
});

test('of a limit of which plenty is left little is asked for, and what was taken ahead goes back where it is needed', async (t) => {
  const world = new LimitWorld({ replicas: 2, agents: 2 });
  world.wayMs = 5;
  const windows = [{ requests: 50_000, perMs: 1_000_000, burst: 50_000 }];
  const bucket = bucketOf(windows);
  const send = async (seconds: number) => {
    for (let ms = 0; ms < seconds * 1000; ms += 4) {
      for (const agent of world.agents.keys()) world.begin(agent, bucket, 'key', 1);
      await world.move(4);
    }
  };
  await send(2);
  const { takes, fromLease } = world;
  await send(4);
  t.is(world.fromLease - fromLease, 2000);
  // Each lease is renewed when half of its second is over.
  t.true(world.takes - takes <= 2 * 4 * 2 + 2, `${world.takes - takes} questions`);
  t.true(world.takes - takes >= 8, `${world.takes - takes} questions`);
  for (let round = 0; round < 6; round += 1) await world.move(500);
  // All that was not used, but for the part of one that a full bucket loses.
  const { passed } = world.outcomes;
  const left = Math.floor(50_000 - passed + (world.clock.now() * 50) / 1000) - 1;
  world.wayMs = 0;
  t.is(await world.ask(1, bucket, 'key', 1, left), 1);
});

test('where many requests come together, those above a limit wait for no control plane', async (t) => {
  const world = new LimitWorld({ replicas: 2, agents: 2 });
  world.wayMs = 4;
  const bucket = bucketOf([{ requests: 50, perMs: 1000, burst: 50 }]);
  const [everyMs, together, seconds] = [62, 8, 10];
  let asked = 0;
  for (let ms = 0; ms < seconds * 1000; ms += 1) {
    if (ms % everyMs === 0)
      for (const agent of world.agents.keys()) {
        world.begin(agent, bucket, 'key', together);
        asked += together;
      }
    await world.move(1);
  }
  const most = 50 * (1 + seconds);
  t.true(world.outcomes.passed <= most && world.outcomes.passed >= 0.98 * most, `${world.outcomes.passed} of ${most}`);
  t.true(world.fromLease >= 0.95 * asked, `${world.fromLease} of ${asked}`);
});

test('a client that comes back for the one token of a slow bucket gets it', async (t) => {
  const world = new LimitWorld({ replicas: 1, agents: 1 });
  world.wayMs = 5;
  const bucket = bucketOf([{ requests: 1, perMs: 1000, burst: 1 }]);
  world.begin(0, bucket, 'key', 3);
  for (let ms = 0; ms < 1012; ms += 1) await world.move(1);
  world.begin(0, bucket, 'key', 1);
  for (let ms = 0; ms < 20; ms += 1) await world.move(1);
  t.deepEqual(world.outcomes, { passed: 2, over: 2, unknown: 0 });
});

test('a client that goes on against its limit causes few questions, and what was taken for it goes back when it stops', async (t) => {
  const world = new LimitWorld({ replicas: 1, agents: 2 });
  const bucket = bucketOf([{ requests: 10, perMs: 1000, burst: 10 }]);
  for (let ms = 0; ms < 2000; ms += 1) {
    await world.ask(0, bucket, 'key', 5);
    await world.move(1);
  }
  t.true(world.outcomes.passed >= 28, `${world.outcomes.passed}`);
  t.true(world.takes <= 2000 / 50 + 2, `${world.takes} questions about 10,000 requests`);
  t.true(world.fromLease > 9900, `${world.fromLease}`);
  const takes = world.takes;
  for (let round = 0; round < 6; round += 1) await world.move(500);
  t.true(world.takes <= takes + 2);
  t.is(await world.ask(1, bucket, 'key', 5), 5, 'half of a full bucket at once');
});

test('a key that is forgotten, and an agent that stops, ask for nothing more', async (t) => {
  const clock = new HandClock();
  const asked: string[] = [];
  const call = async (takes: readonly LimitTake[]) => {
    asked.push(...takes.map(({ key }) => key));
    return { proxies: 1, grants: takes.map(() => ({ granted: 0, waitMs: 100, owner: 'o', debts: [1000] })) };
  };
  const leases = new Leases({ clock, call, soon: (callback) => callback(), maxKeys: 1 });
  const bucket = bucketOf([{ requests: 1, perMs: 1000, burst: 1 }]);
  for (const key of ['one', 'two']) {
    t.is((await leases.ask(bucket, key, 1)).answer, 'over');
    for (let count = 0; count < 3; count += 1) t.is((await leases.ask(bucket, key, 1)).answer, 'over');
  }
  t.deepEqual(asked, ['one', 'two']);
  clock.move(100);
  t.deepEqual(asked, ['one', 'two', 'two']);
  await leases.ask(bucket, 'two', 1);
  leases.stop();
  clock.move(100);
  t.is(asked.length, 3);
});

test('a request that takes several comes through while they are there, and leaves what is too little to others', async (t) => {
  const world = new LimitWorld({ replicas: 2, agents: 3 });
  const bucket = bucketOf([{ requests: 10, perMs: 3_600_000, burst: 10 }]);
  t.is(await world.ask(0, bucket, 'key', 1, 7), 1);
  await world.move(40);
  t.is(await world.ask(1, bucket, 'key', 1, 7), 0);
  await world.move(1100);
  await world.move(1100);
  t.is(await world.ask(2, bucket, 'key', 1, 3), 1);
  await world.move(1100);
  t.is(await world.ask(0, bucket, 'key'), 0);
});

thorough(test)(
  'requests of several costs let no more through than the limit, with and without control planes',
  async (t) => {
    const asks = fc.record({
      agent: fc.nat(2),
      cost: fc.integer({ min: 1, max: 12 }),
      requests: fc.integer({ min: 1, max: 4 }),
      ms: fc.nat(400),
      kill: fc.boolean(),
    });
    const property = fc.asyncProperty(fc.array(asks, { maxLength: 40 }), async (steps) => {
      const world = new LimitWorld({ replicas: 2, agents: 3 });
      const [requests, perMs, burst] = [20, 1000, 12];
      let [taken, kills] = [0, 0];
      for (const { agent, cost, requests: count, ms, kill } of steps) {
        if (kill && kills < 1) world.kill(kills++);
        taken += cost * (await world.ask(agent, bucketOf([{ requests, perMs, burst }]), 'key', count, cost));
        if (taken > burst * (1 + kills) + (world.clock.now() * requests) / perMs + 1e-6) return false;
        await world.move(ms);
      }
      return world.outcomes.unknown === 0;
    });
    await fc.assert(property, { numRuns: runs });
    t.pass();
  },
);

const slow = bucketOf([{ requests: 10, perMs: 3_600_000, burst: 10 }]);

test('what responses cost is owed by the one bucket, also beyond what it has', async (t) => {
  const world = new LimitWorld({ replicas: 2, agents: 3 });
  t.is(await world.ask(0, slow, 'key'), 1);
  await world.charge(0, slow, 'key', 14);
  t.is(await world.ask(1, slow, 'key'), 0, 'another proxy knows of it at once');
  const { waitMs } = (await world.agents[1]?.leases.ask(slow, 'key', 1)) ?? {};
  t.is(waitMs, 6 * 360_000, 'and when one more will be there');
  t.is(await world.ask(1, slow, 'other'), 1);
  // It owes five, so six take as long as it takes to fill by them.
  await world.move(5 * 360_000);
  t.is(await world.ask(2, slow, 'key'), 0);
  await world.move(360_000);
  t.is(await world.ask(2, slow, 'key'), 1);
});

test('requests that cost nothing themselves end, too, when responses at another proxy have used the bucket up', async (t) => {
  const world = new LimitWorld({ replicas: 1, agents: 2 });
  for (const agent of [0, 0, 1]) t.is(await world.ask(agent, slow, 'key', 1, 0), 1);
  await world.charge(1, slow, 'key', 400);
  const end = world.clock.now() + 1500;
  while (world.clock.now() < end) {
    await world.ask(0, slow, 'key', 1, 0);
    await world.move(20);
  }
  t.is(await world.ask(0, slow, 'key', 5, 0), 0);
});

test('what responses cost while no control plane answers is said when one does, and once', async (t) => {
  const world = new LimitWorld({ replicas: 1, agents: 2 });
  t.is(await world.ask(0, slow, 'key'), 1);
  const agent = world.agents[0];
  if (agent) agent.replica = undefined;
  for (let count = 0; count < 3; count += 1) await world.charge(0, slow, 'key', 2);
  t.is(await world.ask(1, slow, 'key'), 1, 'it is not known yet');
  if (agent) agent.replica = 0;
  let passed = 0;
  for (let count = 0; count < 6; count += 1) {
    await world.move(1000);
    passed += await world.ask(1, slow, 'key');
  }
  t.is(passed, 2, 'of ten, six and two were taken');
});

test('without a control plane each proxy lets its part through, and what it let through counts afterwards', async (t) => {
  const world = new LimitWorld({ replicas: 1, agents: 4 });
  const bucket = bucketOf([{ requests: 40, perMs: 3_600_000, burst: 40 }]);
  const [first] = world.agents;
  t.is(await world.ask(0, bucket, 'key', 1), 1);
  for (const agent of world.agents) agent.replica = undefined;
  await world.move(2000);
  t.is(await world.ask(0, bucket, 'key', 30), 9, 'a quarter of the limit, less what is known to be taken');
  t.is(await world.ask(0, bucket, 'key', 5), 0);
  if (first) first.replica = 0;
  await world.move(2000);
  t.is(await world.ask(0, bucket, 'key', 1), 0, 'this one is answered alone, and finds the control plane');
  // What all proxies let through is what this one did, four times: 37, with the one at first.
  t.true((await world.ask(0, bucket, 'key', 40)) <= 3);
  t.is(await world.ask(0, bucketOf([{ requests: 1, perMs: 1000, burst: 1 }]), 'key', 2), 1);
});

test('a bucket that rejects without a control plane says that it does not know, until it is there again', async (t) => {
  const world = new LimitWorld({ replicas: 2, agents: 1 });
  const bucket = bucketOf([{ requests: 5, perMs: 1000, burst: 5 }], true);
  const [agent] = world.agents;
  if (agent) agent.replica = undefined;
  t.is(await world.ask(0, bucket, 'key', 3), 0);
  t.is(world.outcomes.unknown, 3);
  if (agent) agent.replica = 1;
  await world.move(1000);
  await world.ask(0, bucket, 'key', 1);
  t.is(await world.ask(0, bucket, 'key', 1), 1);
});

test('what comes through while an answer is late counts when it is there', async (t) => {
  const world = new LimitWorld({ replicas: 1, agents: 1 });
  const bucket = bucketOf([{ requests: 5, perMs: 3_600_000, burst: 5 }]);
  const { promise, resolve } = Promise.withResolvers<void>();
  world.hold = promise;
  const asked = world.ask(0, bucket, 'key', 3);
  await world.turns();
  await world.move(1000);
  t.is(await asked, 3, 'alone');
  resolve();
  await world.move(1);
  for (let round = 0; round < 10; round += 1) {
    await world.ask(0, bucket, 'key', 10);
    await world.move(1000);
  }
  t.is(world.outcomes.passed, 5);
});

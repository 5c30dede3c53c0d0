import test from 'ava';
import fc from 'fast-check';
import { BudgetWorld, budgetPolicy } from '../../../../support/budget-world.ts';

const answer = 100;

/** Uses a budget up: at each round so many requests come in at each replica at once, and are answered. */
async function useUp(world: BudgetWorld, rounds: number, atOnce: number, sizeOf = () => answer): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const passed = await Promise.all(world.replicas.map(({ isUp }, at) => (isUp ? world.ask(at, atOnce) : [])));
    // Proxies may report to another replica than they asked.
    for (const [index, request] of passed.flat().entries()) {
      const up = world.replicas.flatMap(({ isUp }, at) => (isUp ? at : []));
      await world.report(up[index % up.length] ?? 0, request, sizeOf());
    }
  }
}

test('replicas together use all of a budget, and less than one answer more, however many ask at once', async (t) => {
  for (const replicas of [1, 3]) {
    const world = new BudgetWorld(replicas, 10_050);
    await useUp(world, 40, 8);
    t.true(world.answered >= 10_050 && world.answered < 10_050 + answer, `${replicas}: ${world.answered}`);
    t.deepEqual(await world.ask(0, 1), []);
    t.deepEqual(await world.ask(0, 1, 'blue'), [`request-${String(replicas * 40 * 8 + 2)}`], 'another key');
  }
});

test('answers of any size use 98 % of a budget at least, and one largest answer more at most', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 5, maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 6 }),
      async (sizes, replicas, atOnce) => {
        const limit = 20_000;
        const world = new BudgetWorld(replicas, limit);
        // The largest is among the first, so that it is known.
        await useUp(world, 1, 1, () => 400);
        let at = 0;
        await useUp(world, 250, atOnce, () => sizes[at++ % sizes.length] ?? 1);
        const total = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
        // Of small answers there may not be enough.
        const wanted = Math.min(limit, total * 250 * atOnce * replicas * 0.5);
        return world.answered >= 0.98 * wanted && world.answered < limit + 400;
      },
    ),
    { numRuns: 25 },
  );
  t.pass();
});

test('before an answer is known, requests under way hold a hundredth of the budget each', async (t) => {
  const world = new BudgetWorld(2, 1000);
  const [first, second] = await Promise.all([world.ask(0, 150), world.ask(1, 150)]);
  t.is(first.length + second.length, 100);
});

test('a request that ends without an answer holds nothing a second later, and one of which nothing is heard after a while', async (t) => {
  const world = new BudgetWorld(2, 1000);
  const [request = ''] = await world.ask(0, 1);
  await world.report(1, request, 600);
  const [failed = ''] = await world.ask(1, 1);
  t.not(failed, '', 'it is alone');
  t.deepEqual(await world.ask(0, 1), [], 'the rest is held');
  await world.end(0, failed);
  t.deepEqual(await world.ask(0, 1), [], 'what it used may be reported yet');
  world.clock.skip(1000);
  t.is((await world.ask(0, 1)).length, 1);
  t.deepEqual(await world.ask(1, 1), []);
  world.clock.skip(59_000);
  t.is((await world.ask(1, 1)).length, 0, 'in the next window, which has 1000: 600 are held');
  world.clock.skip(900_000);
  t.is((await world.ask(1, 1)).length, 1);
});

test('a replica that ends hands on what is held: nothing comes through twice', async (t) => {
  for (const killed of [0, 1, 2]) {
    const world = new BudgetWorld(3, 1000);
    const [first = ''] = await world.ask(0, 1);
    await world.report(0, first, 200);
    const passed = (await Promise.all([world.ask(0, 2), world.ask(1, 2), world.ask(2, 2)])).flat();
    t.is(passed.length, 4, '200 each, of 800');
    world.kill(killed);
    const others = [0, 1, 2].filter((at) => at !== killed);
    for (const at of others) t.deepEqual(await world.ask(at, 2), [], `${killed} ${at}`);
  }
});

test('a keeper that does not answer is gone on without', async (t) => {
  const world = new BudgetWorld(2, 1000);
  for (const replica of world.replicas) replica.keeper.asked = () => {};
  const asked = [world.ask(0, 1), world.ask(1, 1)];
  await world.turns();
  world.clock.move(800);
  t.is((await Promise.all(asked)).flat().length, 2);
});

test('a policy that only watches holds nothing', async (t) => {
  const world = new BudgetWorld(2, 100, { onLimit: 'Shadow' });
  await world.ask(0, 5);
  t.deepEqual(world.replicas[0]?.keeper.holds.list(0, 10), []);
  t.truthy(budgetPolicy(1));
});

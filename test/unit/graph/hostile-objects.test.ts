import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { buildEitherWay, ObjectMaker } from '../../support/fuzz/small-world.ts';
import { repetitions } from '../../support/repetitions.ts';

// Tenants whose objects are valid and as odd as definitions allow: `npm run bench -- fuzz` does the same with other seeds, by the thousand.

test('hostile objects, created, changed and deleted in any order, break no build, and all end where a cold start does', async (t) => {
  t.timeout(600_000);
  const maker = await ObjectMaker.load();
  let objects = 0;
  for (let seed = 1; seed <= repetitions({ few: 8, all: 200 }); seed += 1) {
    const made = maker.make(seed);
    objects += made.valid.length;
    try {
      buildEitherWay(made);
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    }
    await setImmediate();
  }
  t.true(objects > 100, 'most of what is made is valid');
});

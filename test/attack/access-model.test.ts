import test from 'ava';
import { checkCases } from '../support/access-model/check-cases.ts';
import { changeUnderLoad } from '../support/access-model/no-gap.ts';
import { AccessRig } from '../support/access-model/rig.ts';
import { repetitions } from '../support/repetitions.ts';

/**
 * A small part, always the same, of `npm run bench -- access-model`: random policies on a gateway with everything real, and requests with random
 * credentials, against a model written from docs/access-policies.md.
 */

let rig: AccessRig;

test.before(async () => {
  rig = await AccessRig.start();
});
test.after.always(() => rig?.stop());

test.serial('requests get what the model of access policies says, through changes of all policies', async (t) => {
  const tally = await checkCases(rig, { seed: 17, runs: repetitions({ few: 2, all: 8 }), hosts: 12, asksEach: 8 });
  t.log(tally.sets, tally.asks, Object.fromEntries(tally.expected));
  for (const answer of ['200 key token', '200 token', '200 key', '401', '403', '500'])
    t.true(tally.expected.has(answer), answer);
});
test.serial('while demands move between Gateway, route and rule, no request without credentials gets in', async (t) => {
  const { seen, faults } = await changeUnderLoad(rig, { seed: 3, changes: repetitions({ few: 5, all: 24 }) });
  t.log(Object.fromEntries(seen));
  t.deepEqual(faults, []);
});

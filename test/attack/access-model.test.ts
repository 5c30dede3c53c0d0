import test from 'ava';
import { checkCases } from '../support/access-model/check-cases.ts';
import { changeUnderLoad } from '../support/access-model/no-gap.ts';
import { checkRejections } from '../support/access-model/rejections.ts';
import { checkRestarts } from '../support/access-model/restarts.ts';
import { AccessRig } from '../support/access-model/rig.ts';

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
  t.timeout(600_000);
  const tally = await checkCases(rig, { seed: 17, runs: 8, hosts: 12, asksEach: 8 });
  t.log(tally.sets, tally.asks, Object.fromEntries(tally.expected));
  for (const answer of ['200 key token', '200 token', '200 key', '401', '403', '500', 'grpc 16', 'grpc 7', 'grpc 2'])
    t.true(tally.expected.has(answer), answer);
});
test.serial(
  'what proxies reject of a policy at any level closes its targets alone, until it is corrected',
  async (t) => {
    t.timeout(600_000);
    const tally = await checkRejections(rig, { seed: 21, runs: 8, hosts: 6, asksEach: 8 });
    t.log(tally.sets, tally.asks, Object.fromEntries(tally.expected));
    t.true(tally.asks > 50);
    t.true(tally.expected.has('500'));
  },
);
test.serial(
  'while demands move between Gateway, listeners, route and rule, no request without credentials gets in',
  async (t) => {
    t.timeout(600_000);
    const { seen, faults } = await changeUnderLoad(rig, { seed: 3, changes: 12 });
    t.log(Object.fromEntries(seen));
    t.deepEqual(faults, []);
  },
);
test.serial(
  'policies that change while control plane, agent and Envoy are killed hold as the model says',
  async (t) => {
    t.timeout(600_000);
    const tally = await checkRestarts(t, { seed: 7, runs: 3, hosts: 12, asksEach: 4 });
    t.log(tally.sets, tally.asks, Object.fromEntries(tally.expected));
    t.true(tally.asks > 50);
  },
);
test.serial(
  'what proxies reject stays closed while control plane, agent and Envoy are killed, until it is corrected',
  async (t) => {
    t.timeout(600_000);
    const tally = await checkRestarts(t, { seed: 11, runs: 2, hosts: 6, asksEach: 4, areRejected: true });
    t.log(tally.sets, tally.asks, Object.fromEntries(tally.expected));
    t.true(tally.expected.has('500'));
  },
);

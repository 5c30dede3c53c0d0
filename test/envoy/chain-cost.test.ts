import test from 'ava';
import { measureChains } from '../../bench/envoy-floor/chain-cost.ts';

// Figures of one round say nothing. That there are any says that each subject's host answered 200, and that Envoy rejected nothing.
test('the bench of filter chains has a figure of every subject', async (t) => {
  const costs = await measureChains(1);
  t.is(costs.length, 9);
  for (const { name, cpuUs } of costs) t.true(cpuUs > 0, name);
});

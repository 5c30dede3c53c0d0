import test from 'ava';
import { Throttle } from '../../../../src/std/queue/index.ts';
import { until } from '../../../support/until.ts';

test('the first is done at once, and all that are asked meanwhile together after the rest', async (t) => {
  let times = 0;
  const throttle = new Throttle(20, () => {
    times += 1;
  });
  for (let asked = 0; asked < 100; asked += 1) throttle.fire();
  t.is(times, 1);
  await until('the rest', () => times > 1);
  t.is(times, 2);
  throttle.stop();
});

test('what is due when it is stopped is not done; asked again it is done at once', async (t) => {
  const done: string[] = [];
  const throttle = new Throttle(1, () => done.push('throttled'));
  throttle.fire();
  throttle.fire();
  throttle.stop();
  // Timers of one length end in the order of their beginnings.
  await new Promise((resolve) => setTimeout(resolve, 1));
  t.is(done.length, 1);
  throttle.fire();
  t.is(done.length, 2);
  throttle.stop();
});

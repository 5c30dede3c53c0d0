import test from 'ava';
import { ListenerDrains } from '../../../src/agent/relay/listener-drains.ts';

const drainTimeMs = 10_000;

/** At which of these moments, in milliseconds, a drain may end. */
const closedAt = (drains: ListenerDrains, ...moments: readonly number[]) =>
  moments.filter((now) => drains.endsAbout(now, drainTimeMs));

test('a drain may end a drain time after its beginning, until Envoy says that it has, and a moment longer', (t) => {
  const drains = new ListenerDrains(0);
  drains.seen(0, 1000, drainTimeMs);
  drains.seen(1, 1500, drainTimeMs);
  t.deepEqual(closedAt(drains, 1500, 10_000, 10_700, 10_800, 12_000, 16_000, 17_000), [10_800, 12_000, 16_000]);
  drains.seen(0, 11_600, drainTimeMs);
  t.deepEqual(closedAt(drains, 11_700, 12_000, 12_100, 13_000), [11_700, 12_000]);
});

test('each of several drains has its own end', (t) => {
  const drains = new ListenerDrains(0);
  drains.seen(1, 500, drainTimeMs);
  drains.seen(1, 3500, drainTimeMs);
  drains.seen(2, 4000, drainTimeMs);
  drains.seen(1, 10_500, drainTimeMs);
  t.deepEqual(closedAt(drains, 10_600, 11_000, 12_000, 13_200, 13_300), [10_600, 13_300]);
});

test('one that is still there long after its time has another in its place, which began since', (t) => {
  const drains = new ListenerDrains(0);
  drains.seen(1, 500, drainTimeMs);
  drains.seen(1, 15_000, drainTimeMs);
  t.deepEqual(closedAt(drains, 15_100, 15_600), [15_100]);
  drains.seen(1, 15_600, drainTimeMs);
  t.deepEqual(closedAt(drains, 15_700, 19_700, 19_800, 30_000, 31_000), [19_800, 30_000]);
});

test('what began before the first look began at some moment since Envoy was sent listeners', (t) => {
  const drains = new ListenerDrains(0);
  drains.idleUntil(5000);
  drains.seen(1, 9000, drainTimeMs);
  t.deepEqual(closedAt(drains, 14_700, 14_800, 23_900, 24_100), [14_800, 23_900]);
});

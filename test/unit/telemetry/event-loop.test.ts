import test from 'ava';
import { LoopDelay, type LoopTime } from '../../../src/telemetry/metrics/event-loop.ts';

/** A process whose looks the test makes, each as late as it says. */
class HeldTime implements LoopTime {
  share = 0;
  /** What was asked for, in order. */
  readonly pauses: number[] = [];
  #now = 0;
  #look: (() => void) | undefined;

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): void {
    this.pauses.push(delayMs);
    this.#look = callback;
  }

  busyShare(): number {
    return this.share;
  }

  look(lateMs: number): void {
    this.#now += (this.pauses.at(-1) ?? 0) + lateMs;
    this.#look?.();
  }
}

test('only what a look is late counts, and each reading begins again', (t) => {
  const time = new HeldTime();
  const delay = new LoopDelay(time);
  t.like(delay.read(), { max: 0, p99: 0 }, 'before the first look');
  for (const late of [0, 0, 250, 0]) time.look(late);
  const { min, p50, max } = delay.read();
  t.true(min < 0.001 && p50 < 0.001, 'the pause between looks is no delay');
  t.is(Math.round(max * 100), 25);
  t.like(delay.read(), { max: 0, mean: 0, stddev: 0 });
});

test('a process that rests is woken every two seconds, and one that works is looked at twenty times as often', (t) => {
  const time = new HeldTime();
  new LoopDelay(time);
  time.look(0);
  time.share = 0.3;
  time.look(0);
  time.look(0);
  time.share = 0.01;
  time.look(0);
  t.deepEqual(time.pauses, [2000, 2000, 100, 100, 2000]);
});

import test from 'ava';
import { KeyedQueue, retryMs } from '../../../../src/std/queue/index.ts';
import { HandClock } from '../../../support/hand-clock.ts';

/** Work that lasts until it is released, and keeps a record. */
class Work {
  readonly started: string[] = [];
  #release = new Map<string, () => void>();

  readonly run = (key: string): Promise<void> => {
    this.started.push(key);
    return new Promise((resolve) => this.#release.set(key, resolve));
  };

  async release(key: string): Promise<void> {
    this.#release.get(key)?.();
    // The queue goes on in microtasks; a macrotask comes after all of them.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a key asked for many times while it is in progress runs once more', async (t) => {
  const work = new Work();
  const queue = new KeyedQueue({ work: work.run, concurrency: 2 });
  queue.add('a');
  for (let i = 0; i < 10; i++) queue.add('a');
  t.deepEqual(work.started, ['a']);
  await work.release('a');
  t.deepEqual(work.started, ['a', 'a']);
  await work.release('a');
  await queue.settled();
  t.is(queue.size, 0);
  t.deepEqual(work.started, ['a', 'a']);
});

test('no more than `concurrency` keys are in progress, and urgent ones come first', async (t) => {
  const work = new Work();
  const queue = new KeyedQueue({ work: work.run, concurrency: 2, isUrgent: (key) => key.startsWith('!') });
  for (const key of ['a', 'b', 'c', '!d']) queue.add(key);
  t.deepEqual(work.started, ['a', 'b']);
  await work.release('a');
  t.deepEqual(work.started, ['a', 'b', '!d']);
  await work.release('b');
  t.deepEqual(work.started, ['a', 'b', '!d', 'c']);
});

test('the first of many changes runs at once, the rest as one after the interval', async (t) => {
  const clock = new HandClock();
  const work = new Work();
  const queue = new KeyedQueue({ work: work.run, concurrency: 1, clock, intervalMs: () => 100 });
  queue.add('a');
  t.deepEqual(work.started, ['a']);
  await work.release('a');
  await queue.settled(); // nothing is asked for, though the interval is still running
  queue.add('a');
  queue.add('a');
  clock.move(99);
  t.is(work.started.length, 1);
  clock.move(1);
  t.is(work.started.length, 2);
  await work.release('a');
  clock.move(100);
  t.is(queue.size, 0);
  t.is(work.started.length, 2);
});

test('an interval that has become shorter is over sooner, or at once', async (t) => {
  const clock = new HandClock();
  const work = new Work();
  let intervalMs = 500;
  const queue = new KeyedQueue({ work: work.run, concurrency: 1, clock, intervalMs: () => intervalMs });
  queue.add('a');
  await work.release('a');
  queue.add('a');
  clock.move(50);
  intervalMs = 100;
  queue.add('a');
  clock.move(49);
  t.is(work.started.length, 1);
  clock.move(1);
  t.is(work.started.length, 2);
  intervalMs = 500;
  await work.release('a');
  queue.add('a');
  clock.move(200);
  intervalMs = 100;
  queue.add('a');
  t.is(work.started.length, 3);
  await work.release('a');
  await queue.stop();
});

test('what fails is tried again after a growing backoff, and reported', async (t) => {
  const clock = new HandClock();
  const failures: number[] = [];
  let left = 2;
  const queue = new KeyedQueue({
    work: async () => {
      if (left-- > 0) throw new Error('no');
    },
    onError: (_key, _error, count) => failures.push(count),
    concurrency: 1,
    clock,
    random: () => 1,
  });
  queue.add('a');
  const settled = queue.settled();
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(failures, [1]);
  clock.move(99);
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(failures, [1]);
  clock.move(1);
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(failures, [1, 2]);
  clock.move(200);
  await settled;
  t.is(queue.size, 0);
});

test('a closed queue starts nothing until it is resumed open', async (t) => {
  const work = new Work();
  let open = false;
  const queue = new KeyedQueue({ work: work.run, concurrency: 1, isOpen: () => open });
  queue.add('a');
  queue.resume();
  t.deepEqual(work.started, []);
  open = true;
  queue.resume();
  t.deepEqual(work.started, ['a']);
});

test('stop waits for what is in progress and aborts it after the grace', async (t) => {
  const clock = new HandClock();
  let aborted = false;
  const queue = new KeyedQueue({
    work: (_key, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          resolve();
        });
      }),
    concurrency: 1,
    clock,
  });
  queue.add('a');
  queue.add('b');
  const stopped = queue.stop(50);
  t.false(aborted);
  clock.move(50);
  await stopped;
  t.true(aborted);
  queue.add('c');
  t.is(queue.size, 0);
});

test('backoff doubles from 100 ms to 5 s, spread over its upper half', (t) => {
  t.is(
    retryMs(1, () => 0),
    50,
  );
  t.is(
    retryMs(1, () => 1),
    100,
  );
  t.is(
    retryMs(3, () => 1),
    400,
  );
  t.is(
    retryMs(50, () => 1),
    5000,
  );
});

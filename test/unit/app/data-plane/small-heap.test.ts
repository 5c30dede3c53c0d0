import test from 'ava';
import { SmallHeap } from '../../../../src/app/data-plane/small-heap.ts';
import { HandClock } from '../../../support/hand-clock.ts';

const [small, large] = ['--optimize-for-size', '--no-optimize-for-size'];

function heapWithFlags() {
  const clock = new HandClock();
  const flags: string[] = [];
  const heap = new SmallHeap({ clock, set: (flag) => flags.push(flag) });
  const ask = (count: number) => {
    for (let at = 0; at < count; at += 1) heap.asked();
  };
  return { clock, flags, ask };
}

test('the heap is small at rest, and while few requests wait for the agent', (t) => {
  const { clock, flags, ask } = heapWithFlags();
  for (let round = 0; round < 5; round += 1) {
    ask(49);
    clock.move(5000);
  }
  t.deepEqual(flags, [small]);
});

test('while many requests wait for the agent V8 looks later for what is dead, and as before when they have stopped', (t) => {
  const { clock, flags, ask } = heapWithFlags();
  ask(50);
  t.deepEqual(flags, [small, large]);
  for (let round = 0; round < 5; round += 1) {
    clock.move(5000);
    ask(200);
  }
  clock.move(5000);
  t.deepEqual(flags, [small, large]);
  clock.move(5000);
  t.deepEqual(flags, [small, large, small]);
  clock.move(60_000);
  ask(50);
  t.deepEqual(flags, [small, large, small, large]);
});

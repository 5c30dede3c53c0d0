import test from 'ava';
import { Agreement } from '../../../../src/cluster/replicas/agreement.ts';
import { HandClock } from '../../../support/hand-clock.ts';

function world() {
  const clock = new HandClock();
  return { clock, agreement: new Agreement(30_000, clock) };
}

test('replicas that differ for long, and of which one stands still, disagree until they are equal again', (t) => {
  const { clock, agreement } = world();
  agreement.setOwn('s1');
  agreement.set('b', 's1');
  clock.move(60_000);
  t.is(agreement.disagreesFor('b'), undefined);
  agreement.setOwn('s2');
  clock.move(30_000);
  t.is(agreement.disagreesFor('b'), undefined, 'news may take a while');
  clock.move(1);
  t.is(agreement.disagreesFor('b'), 30_001);
  agreement.set('b', 's2');
  t.is(agreement.disagreesFor('b'), undefined);
});

test('a replica that hangs is recognized by all others, however much changes meanwhile', (t) => {
  const { clock, agreement } = world();
  agreement.setOwn('s0');
  agreement.set('b', 's0');
  for (let build = 1; build <= 40; build++) {
    agreement.setOwn(`s${build}`);
    clock.move(1_000);
  }
  t.is(agreement.disagreesFor('b'), 40_000);
});

test('replicas that are never seen equal while everything changes do not disagree', (t) => {
  const { clock, agreement } = world();
  for (let build = 1; build <= 40; build++) {
    agreement.setOwn(`a${build}`);
    agreement.set('b', `b${build}`);
    clock.move(1_000);
  }
  t.is(agreement.disagreesFor('b'), undefined);
});

test('before a first snapshot, and after a replica is gone, nothing differs', (t) => {
  const { clock, agreement } = world();
  agreement.setOwn('s1');
  agreement.set('b', undefined);
  clock.move(60_000);
  t.is(agreement.disagreesFor('b'), undefined);
  agreement.set('b', 's2');
  clock.move(60_000);
  t.is(agreement.disagreesFor('b'), 60_000);
  agreement.forget('b');
  t.is(agreement.disagreesFor('b'), undefined);
});

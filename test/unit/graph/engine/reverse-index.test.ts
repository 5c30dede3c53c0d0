import test from 'ava';
import { ReverseIndex } from '../../../../src/graph/engine/reverse-index.ts';

test('one target, several and none: both sides know, and nothing stays of what is gone', (t) => {
  const index = new ReverseIndex();
  const both = (...targets: string[]) => targets.map((target) => [...index.sourcesOf(target)]);
  index.set('route-1', ['edge']);
  index.set('route-2', ['edge', 'inner']);
  t.deepEqual(index.targetsOf('route-1'), ['edge']);
  t.deepEqual(index.targetsOf('route-2'), ['edge', 'inner']);
  t.deepEqual(both('edge', 'inner'), [['route-1', 'route-2'], ['route-2']]);
  t.is(index.count('edge'), 2);
  index.set('route-2', ['inner']);
  t.deepEqual(both('edge', 'inner'), [['route-1'], ['route-2']]);
  index.set('route-1', []);
  index.set('route-2', []);
  t.deepEqual(both('edge', 'inner'), [[], []]);
  t.deepEqual(index.targetsOf('route-1'), []);
  t.is(index.count('edge'), 0);
  index.set('route-3', ['edge']);
  t.deepEqual(both('edge'), [['route-3']]);
});

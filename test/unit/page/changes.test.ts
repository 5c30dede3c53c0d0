import test from 'ava';
import { changesOf } from '../../../page/src/pages/changes/group.ts';

type Event = Parameters<typeof changesOf>[0][number];

const at = (ms: number): string => new Date(Date.UTC(2026, 0, 2, 3, 4, 5) + ms).toISOString();
const snapshot = (ms: number, id: string, ...names: readonly string[]): Event => ({
  id,
  type: 'snapshot',
  at: at(ms),
  changed: names.map((name) => ({ kind: 'HTTPRoute', namespace: 'shop', name })),
  changedCount: names.length,
});
const node = (ms: number, action: string, nodeId: string, rest: object = {}): Event => ({
  id: `e-${ms}-${nodeId}`,
  type: 'node',
  at: at(ms),
  action,
  nodeId,
  ...rest,
});

/** As the API gives them. */
const group = (...oldestFirst: readonly Event[]) => changesOf(oldestFirst.toReversed());

test('a snapshot is had when the last proxy has it or a newer one', (t) => {
  const [newest, older, first] = group(
    snapshot(0, 'a'),
    node(40, 'applied', 'one'),
    node(90, 'applied', 'two'),
    snapshot(1_000, 'b', 'cart'),
    node(1_020, 'applied', 'one'),
    snapshot(1_050, 'c', 'pay'),
    node(1_100, 'applied', 'two'),
  );
  t.like(first, { snapshot: 'a', isFirst: true, applied: { proxies: 2, ms: 90 } });
  t.like(older, { snapshot: 'b', isFirst: false, applied: { proxies: 2, ms: 100 } });
  t.deepEqual(older?.changed, [{ kind: 'HTTPRoute', namespace: 'shop', name: 'cart' }]);
  t.like(newest, { snapshot: 'c', applied: { proxies: 1, ms: 50 } });
});

test('what no proxy has reported is not said to be there, and conditions alone are no new snapshot', (t) => {
  const [newest, same, first] = group(snapshot(0, 'a'), snapshot(5, 'a', 'cart'), snapshot(10, 'b', 'cart'));
  t.like(first, { isSame: false, applied: undefined });
  t.like(same, { isSame: true });
  t.like(newest, { isSame: false, applied: undefined });
});

test('the same rejection is one line under the last of them, with their number and the first time', (t) => {
  const [newest, older] = group(
    snapshot(0, 'a'),
    node(10, 'nacked', 'one', { message: 'regex' }),
    node(20, 'nacked', 'two', { message: 'regex' }),
    snapshot(1_000, 'b', 'cart'),
    node(1_010, 'nacked', 'one', { message: 'regex' }),
    node(1_020, 'nacked', 'one', { message: 'regex' }),
  );
  t.deepEqual(newest?.rejections, [{ nodeId: 'one', message: 'regex', times: 3, since: new Date(at(10)) }]);
  t.deepEqual(
    older?.rejections.map(({ nodeId, times }) => [nodeId, times]),
    [['two', 1]],
  );
});

test('what happened before the oldest snapshot is kept, and nothing is made of nothing', (t) => {
  t.deepEqual(group(), []);
  const [newest, before] = group(node(0, 'disconnected', 'one', { reason: 'closed' }), snapshot(10, 'b', 'cart'));
  t.like(newest, { snapshot: 'b', isFirst: false });
  t.is(before?.snapshot, undefined);
  t.like(before?.comings[0], { nodeId: 'one', action: 'disconnected', reason: 'closed' });
});

test('fields of a foreign type are no fault', (t) => {
  const odd = { id: 'x', type: 'node', at: at(0), action: 'nacked', nodeId: 7, message: null } as const;
  t.like(group(odd)[0]?.rejections[0], { nodeId: '', message: '', times: 1 });
  t.deepEqual(group({ ...snapshot(0, 'a'), changed: 'none' })[0]?.changed, []);
});

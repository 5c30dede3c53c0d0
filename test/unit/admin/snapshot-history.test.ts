import test from 'ava';
import { SnapshotHistory } from '../../../src/admin/index.ts';
import type * as ir from '../../../src/ir/index.ts';

const at = new Date(0);
const secret = (key: string, before?: string, after?: string): ir.Change =>
  ({ kind: 'secret', gateway: 'g', key, before, after }) as unknown as ir.Change;
const add = (history: SnapshotHistory, id: string, changes: readonly ir.Change[]) =>
  history.add({ id, at, changed: [], changedCount: changes.length, changes });

test('changes of one place are joined, and what came back to what it was is none', (t) => {
  const history = new SnapshotHistory();
  add(history, '0', [secret('at the start', undefined, '1')]);
  add(history, '1', [secret('a', '1', '2'), secret('b', undefined, '1')]);
  add(history, '2', [secret('a', '2', '3'), secret('b', '1', undefined)]);
  t.like(history.between('0', '2'), { changes: [secret('a', '1', '3')], isComplete: true });
  t.deepEqual(history.between('1', '2')?.changes, [secret('a', '2', '3'), secret('b', '1', undefined)]);
  t.deepEqual(history.between('2', '2')?.changes, []);
  t.is(history.between('2', '1'), undefined);
  t.is(history.between('unknown', '2'), undefined);
});

test('an id that returns is compared from its last time', (t) => {
  const history = new SnapshotHistory();
  add(history, 'x', []);
  add(history, 'y', [secret('a', '1', '2')]);
  add(history, 'x', [secret('a', '2', '1')]);
  add(history, 'z', [secret('b', undefined, '1')]);
  t.deepEqual(history.between('x', 'z')?.changes, [secret('b', undefined, '1')]);
});

test('memory is bounded: 20 snapshots, and 500 differences of each', (t) => {
  const history = new SnapshotHistory();
  for (let id = 0; id < 30; id += 1)
    add(
      history,
      String(id),
      Array.from({ length: 600 }, (_, key) => secret(`${id}-${key}`, undefined, '1')),
    );
  t.is(history.list().length, 20);
  t.is(history.list()[0]?.id, '29');
  t.true(history.list().every(({ changes, changeCount }) => changes.length === 500 && changeCount === 600));
  t.false(history.between('28', '29')?.isComplete);
});

test('what a table demanded after a step is what the next change of it began with, or what it demands now', (t) => {
  const guards = (name: string) => ({ name }) as unknown as ir.TableGuards;
  const table = (before: string, after: string): ir.Change =>
    ({
      kind: 'table',
      gateway: 'g',
      table: 'http/80',
      before: { access: guards(before) },
      after: { access: guards(after) },
    }) as unknown as ir.Change;
  const history = new SnapshotHistory();
  add(history, '0', []);
  add(history, '1', [secret('a', '1', '2')]);
  const many = Array.from({ length: 600 }, (_, key) => secret(String(key), undefined, '1'));
  add(history, '2', [...many, table('x', 'y')]);
  const newest = () => guards('z');
  t.deepEqual(history.between('0', '1')?.guardsAfter('g', 'http/80', newest), guards('x'));
  t.deepEqual(history.between('0', '2')?.guardsAfter('g', 'http/80', newest), guards('z'));
  t.deepEqual(history.between('0', '1')?.guardsAfter('g', 'http/81', newest), guards('z'));
});

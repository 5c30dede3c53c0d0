import test from 'ava';
import type { Condition } from '../../../src/gateway-api/index.ts';
import { type LiveCondition, mergeConditions } from '../../../src/status/merge-conditions.ts';

const NOW = '2026-01-02T03:04:05Z';
const EARLIER = '2026-01-01T00:00:00Z';
const ours = new Set(['Accepted', 'Programmed']);

const desired = (type: string, status: Condition['status'], more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: type,
  message: '',
  observedGeneration: 2,
  ...more,
});
const live = (type: string, status: Condition['status'], more: Partial<LiveCondition> = {}): LiveCondition => ({
  ...desired(type, status),
  lastTransitionTime: EARLIER,
  ...more,
});

test('a new condition has the time of now', (t) => {
  t.deepEqual(mergeConditions([], [desired('Accepted', 'True')], ours, NOW), [
    live('Accepted', 'True', { lastTransitionTime: NOW }),
  ]);
});

test('the time of transition stays while the status does, whatever else changes', (t) => {
  const merged = mergeConditions(
    [live('Accepted', 'True', { observedGeneration: 1, reason: 'Old' })],
    [desired('Accepted', 'True')],
    ours,
    NOW,
  );
  t.deepEqual(merged, [live('Accepted', 'True')]);
});

test('the time of transition moves with the status', (t) => {
  const [merged] = mergeConditions([live('Accepted', 'Unknown')], [desired('Accepted', 'True')], ours, NOW);
  t.is(merged?.lastTransitionTime, NOW);
});

test('types that are not ours stay as and where they are', (t) => {
  const foreign = live('example.com/Audited', 'True');
  const merged = mergeConditions([foreign, live('Accepted', 'True')], [desired('Accepted', 'True')], ours, NOW);
  t.deepEqual(merged, [foreign, live('Accepted', 'True')]);
  t.is(merged[0], foreign);
});

test('a type of ours that is no longer desired is removed', (t) => {
  t.deepEqual(
    mergeConditions([live('Programmed', 'True'), live('Accepted', 'True')], [desired('Accepted', 'True')], ours, NOW),
    [live('Accepted', 'True')],
  );
});

test('a message longer than the API server takes is cut', (t) => {
  const [merged] = mergeConditions([], [desired('Accepted', 'False', { message: 'x'.repeat(40_000) })], ours, NOW);
  t.is(merged?.message.length, 32_768);
});

import test from 'ava';
import type { Status } from '../../../src/gateway-api/index.ts';
import { mergeStatus } from '../../../src/status/merge-status.ts';

const controllerName = 'gatewright.dev/gateway-controller';
const now = '2026-01-02T03:04:05Z';

const accepted = { type: 'Accepted', status: 'True', reason: 'Accepted', message: '', observedGeneration: 2 } as const;
const refOf = (name: string) => ({ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'default', name });

const desired = (...names: readonly string[]): Status => ({
  kind: 'BackendTLSPolicy',
  ancestors: names.map((name) => ({ ancestorRef: refOf(name), controllerName, conditions: [accepted] })),
});

const entry = (name: string, controller = controllerName) => ({
  ancestorRef: refOf(name),
  controllerName: controller,
  conditions: [{ ...accepted, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' }],
});

const merge = (live: unknown, desired: Status) =>
  (mergeStatus(live, desired, { controllerName, now }) as { ancestors: ReturnType<typeof entry>[] }).ancestors;

test('ancestors of other controllers stay as they are, ours that are gone go', (t) => {
  const others = entry('edge', 'other.example/controller');
  const merged = merge({ ancestors: [others, entry('edge'), entry('gone')] }, desired('edge', 'new'));
  t.deepEqual(
    merged.map(({ ancestorRef, controllerName: controller }) => [ancestorRef.name, controller]),
    [
      ['edge', 'other.example/controller'],
      ['edge', controllerName],
      ['new', controllerName],
    ],
  );
  t.is(merged[0], others);
  t.like(merged[1]?.conditions[0], { observedGeneration: 2, lastTransitionTime: '2026-01-01T00:00:00Z' });
  t.like(merged[2]?.conditions[0], { lastTransitionTime: now });
});

test('a list that others fill up takes no more than sixteen', (t) => {
  const others = Array.from({ length: 15 }, (_, index) => entry(`g${index}`, 'other.example/controller'));
  const merged = merge({ ancestors: others }, desired('a', 'b'));
  t.is(merged.length, 16);
  t.is(merged[15]?.ancestorRef.name, 'a');
});

for (const kind of ['TrafficPolicy', 'AccessPolicy'] as const)
  test(`what proxies reject of a ${kind}, or cannot use, is no longer said when that is over`, (t) => {
    const degraded = { type: 'Degraded', status: 'True', reason: 'Invalid', message: 'no' } as const;
    const before = entry('edge');
    const live = { ...before, conditions: [...before.conditions, { ...before.conditions[0], ...degraded }] };
    const [merged] = merge({ ancestors: [live] }, { ...desired('edge'), kind } as Status);
    t.deepEqual(
      merged?.conditions.map(({ type }) => type),
      ['Accepted'],
    );
  });

import test from 'ava';
import type { KubernetesObject } from '../../../src/gateway-api/index.ts';
import { EventRecorder, type ObjectEvent } from '../../../src/status/event-recorder.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { httpRoute } from '../../support/objects.ts';
import { until } from '../../support/until.ts';

/** A recorder whose Events are kept, in place of an API server's. */
function recorder({
  isLeader = () => true,
  fails = false,
}: {
  readonly isLeader?: () => boolean;
  readonly fails?: boolean;
} = {}) {
  const clock = new HandClock();
  const written: KubernetesObject[] = [];
  const results: string[] = [];
  const failures: string[] = [];
  const made = new EventRecorder({
    client: {
      async apply(_type: unknown, object: KubernetesObject) {
        if (fails) throw new Error('forbidden');
        written.push(object);
        return object as never;
      },
    },
    lookup: (_kind, key) => (key.endsWith('gone') ? undefined : httpRoute(key.split('/')[1] as string)),
    controllerName: 'gatewright.dev/gateway-controller',
    identity: 'replica-1',
    isLeader,
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    onResult: (result) => results.push(result),
    onFailure: (message) => failures.push(message),
    clock,
  });
  return { made, clock, written, results, failures };
}

const about = (name: string, message = 'is wrong'): ObjectEvent => ({
  kind: 'HTTPRoute',
  key: `default/${name}`,
  type: 'Warning',
  reason: 'BackendNotFound',
  message,
});

test('the same Event again is one object with a count, written at most every ten seconds', async (t) => {
  const { made, clock, written } = recorder();
  made.record(about('web'));
  await until('the first write', () => written.length === 1);
  made.record(about('web'));
  made.record(about('web'));
  clock.move(10_000);
  await until('the second write', () => written.length === 2);
  const [first, second] = written as unknown as { metadata: { name: string }; count: number; lastTimestamp: string }[];
  t.is(first?.metadata.name, second?.metadata.name);
  t.deepEqual([first?.count, second?.count], [1, 3]);
  t.is(first?.lastTimestamp, '2026-01-02T03:04:05Z');
});

test('an object that changes all the time gets 25 Events, then one in five minutes; others get theirs', async (t) => {
  const { made, clock, written, results } = recorder();
  for (let at = 0; at < 40; at += 1) made.record(about('loud', `fault ${at}`));
  made.record(about('calm'));
  await until('the writes', () => written.length === 26);
  t.is(results.filter((result) => result === 'limited').length, 15);
  clock.move(300_000);
  made.record(about('loud', 'later'));
  made.record(about('loud', 'too soon'));
  await until('one more', () => written.length === 27);
  t.is(results.filter((result) => result === 'limited').length, 16);
});

test('all together are limited: ten thousand routes that break at once are no load on the API server', async (t) => {
  const { made, written, results } = recorder();
  for (let at = 0; at < 10_000; at += 1) made.record(about(`r${at}`));
  await until('the writes', () => written.length === 100);
  t.is(results.filter((result) => result === 'limited').length, 9900);
});

test('only the leader writes, and nothing of an object that is gone', async (t) => {
  const follower = recorder({ isLeader: () => false });
  follower.made.record(about('web'));
  const leader = recorder();
  leader.made.record(about('gone'));
  leader.made.record(about('web'));
  await until('the one write', () => leader.written.length === 1);
  t.is(leader.written.length, 1);
  t.deepEqual(follower.written, []);
});

test('what the API server does not take is logged and not tried again', async (t) => {
  const { made, clock, failures, results } = recorder({ fails: true });
  made.record(about('web'));
  await until('the failure', () => failures.length === 1);
  clock.move(600_000);
  t.deepEqual(results, ['error']);
});

test('long messages are cut', async (t) => {
  const { made, written } = recorder();
  made.record(about('web', 'x'.repeat(5000)));
  await until('the write', () => written.length === 1);
  t.true((written[0] as unknown as { message: string }).message.length <= 1001);
});

import test from 'ava';
import type { DeltaResponse } from '../../../src/agent/relay/delta-messages.ts';
import { type GatedEnvoy, ListGate } from '../../../src/agent/relay/index.ts';
import { typeUrls } from '../../../src/envoy/wire/index.ts';

const answer = (...names: readonly string[]): DeltaResponse => ({
  typeUrl: typeUrls.extension,
  nonce: names.join(),
  systemVersion: '',
  resources: names.map((name) => ({ name, version: '1', bytes: new Uint8Array() })),
  removed: [],
});

/** A gate with an Envoy whose listeners drain as the test says, on a clock that each delay moves on. */
function world(t: { readonly teardown: (end: () => void) => void }) {
  let now = 0;
  let draining = 0;
  const passed: (readonly [name: string, at: number])[] = [];
  const events: [at: number, happens: () => void][] = [];
  const clock = {
    now: () => new Date(now),
    delay: async (ms: number) => {
      now += ms;
      for (const event of events.filter(([at]) => at <= now)) {
        events.splice(events.indexOf(event), 1);
        event[1]();
      }
      await new Promise(setImmediate);
    },
  };
  const gate = new ListGate(clock);
  const envoy: GatedEnvoy = { drainTimeMs: 10_000, listenerWork: async () => ({ draining, warming: 0 }) };
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  return {
    gate,
    passed,
    pass: (...names: string[]) => gate.pass(answer(...names), ({ nonce }) => passed.push([nonce, now])),
    listeners: () => gate.pass({ ...answer(), typeUrl: typeUrls.listener }, () => undefined),
    at: (ms: number, happens: () => void) => void events.push([ms, happens]),
    drain: (count: number) => {
      draining = count;
    },
    run: async () => {
      void gate.run(envoy, stop.signal);
      while (events.length > 0) await new Promise(setImmediate);
      for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate);
    },
  };
}

test('what Envoy has not had passes at any time, and so does all that is no list', (t) => {
  const { listeners, passed, pass } = world(t);
  pass('lists/a/http/80');
  listeners();
  pass('traffic/http/80');
  pass('lists/b/http/80');
  t.deepEqual(
    passed.map(([name]) => name),
    ['lists/a/http/80', 'traffic/http/80', 'lists/b/http/80'],
  );
});

test('a list changes when Envoy has taken the listeners that it was sent, and others stay behind it', async (t) => {
  const { gate, listeners, passed, pass, at, run } = world(t);
  pass('lists/a/http/80');
  listeners();
  pass('lists/a/http/80');
  pass('traffic/http/80');
  t.is(passed.length, 1);
  at(2000, () => gate.listenersAnswered());
  await run();
  t.deepEqual(
    passed.slice(1).map(([name]) => name),
    ['lists/a/http/80', 'traffic/http/80'],
  );
  const [, [, listAt = 0] = []] = passed;
  t.true(listAt >= 2500 && listAt < 3000, String(listAt));
});

test('a list does not change about the end of a drain, and does before', async (t) => {
  const { gate, listeners, passed, pass, at, drain, run } = world(t);
  pass('lists/a/http/80');
  listeners();
  gate.listenersAnswered();
  at(250, () => drain(1));
  at(5000, () => pass('lists/a/http/80'));
  at(9900, () => pass('lists/a/http/80'));
  at(10_600, () => drain(0));
  await run();
  const [, first = 0, second = 0] = passed.map(([, moment]) => moment);
  t.true(first >= 5000 && first < 5300, String(first));
  t.true(second >= 11_100 && second < 11_600, String(second));
});

test('nothing waits for ever for a drain that does not end', async (t) => {
  const { gate, listeners, passed, pass, at, drain, run } = world(t);
  pass('lists/a/http/80');
  listeners();
  gate.listenersAnswered();
  at(250, () => drain(1));
  at(9900, () => pass('lists/a/http/80'));
  at(16_000, () => undefined);
  await run();
  const [, moment = 0] = passed.map(([, at]) => at);
  t.true(moment > 15_000 && moment < 16_000, String(moment));
});

test('another Envoy has no lists yet, and what waited for the one before is not sent twice', (t) => {
  const { gate, listeners, passed, pass } = world(t);
  pass('lists/a/http/80');
  listeners();
  pass('lists/a/http/80');
  gate.joined();
  gate.forget();
  pass('lists/a/http/80');
  t.is(passed.length, 2);
});

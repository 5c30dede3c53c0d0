import { createHook } from 'node:async_hooks';
import test from 'ava';
import { MetricSet } from '../../../src/telemetry/index.ts';

const lines = async (set: MetricSet): Promise<string[]> => (await set.text()).split('\n').filter((line) => line !== '');

test('names get the prefix, but for those of a standard', (t) => {
  const set = new MetricSet();
  set.counter('pushes_total', { help: 'Pushes.', labels: ['type'] });
  set.histogram('gen_ai_time', { help: 'Time.', standard: true });
  t.deepEqual(set.list(), [
    { name: 'gatewright_pushes_total', type: 'counter', labels: ['type'], help: 'Pushes.' },
    { name: 'gen_ai_time', type: 'histogram', labels: [], help: 'Time.' },
  ]);
});

test('a name can be declared once', (t) => {
  const set = new MetricSet();
  set.gauge('open', { help: 'Open.' });
  t.throws(() => set.counter('open', { help: 'Open.' }), { message: /already been registered/ });
});

test('series that are named in the declaration are there from the start', async (t) => {
  const set = new MetricSet();
  set.counter('ends_total', { help: 'Ends.', labels: ['reason'], initial: [{ reason: 'error' }] });
  t.true((await lines(set)).includes('gatewright_ends_total{reason="error"} 0'));
});

test('what is observed is read at each scrape, and nothing of before stays', async (t) => {
  const set = new MetricSet();
  const sizes = set.observedGauge('sizes', { help: 'Sizes.', labels: ['type'], initial: [{ type: 'Listener' }] });
  const total = set.observedCounter('restarts_total', { help: 'Restarts.' });
  t.true((await lines(set)).includes('gatewright_sizes{type="Listener"} 0'), 'until the first read');
  let now = [[{ type: 'Listener' }, 2] as const, [{ type: 'Cluster' }, 1] as const];
  sizes.readBy(() => now);
  total.readBy(() => now.length);
  t.true((await lines(set)).includes('gatewright_sizes{type="Listener"} 2'));
  t.true((await lines(set)).includes('gatewright_restarts_total 2'));
  now = now.slice(1);
  t.deepEqual(
    (await lines(set)).filter((line) => !line.startsWith('#')),
    ['gatewright_sizes{type="Cluster"} 1', 'gatewright_restarts_total 1'],
  );
});

test('a histogram that is observed is shown as one of the library is', async (t) => {
  const [own, observed] = [new MetricSet(), new MetricSet()];
  const histogram = own.histogram('seconds', { help: 'Time.', buckets: [1, 5] });
  for (const value of [0.5, 3, 4, 9]) histogram.observe(value);
  const seen = observed.observedHistogram('seconds', { help: 'Time.' });
  t.true((await lines(observed)).includes('gatewright_seconds_count 0'));
  seen.readBy(() => ({ bounds: [1, 5], counts: [1, 2, 1], sum: 16.5 }));
  t.is(await observed.text(), await own.text());
  t.deepEqual(observed.list(), own.list());
});

test('sets of one process share what samples it: a further one adds no timer and no observer', async (t) => {
  const first = new MetricSet();
  first.observeProcess();
  const added: string[] = [];
  const hook = createHook({ init: (_, type) => void added.push(type) }).enable();
  const second = new MetricSet();
  second.observeProcess();
  hook.disable();
  t.deepEqual(added, []);
  t.deepEqual(second.list(), first.list());
  for (const set of [first, second]) {
    const text = await set.text();
    t.regex(text, /^gatewright_process_cpu_seconds_total \d/m);
    t.regex(text, /^gatewright_nodejs_eventloop_lag_p99_seconds \d/m);
    t.regex(text, /^# TYPE gatewright_nodejs_gc_duration_seconds histogram/m);
  }
});

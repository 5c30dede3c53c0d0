import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { AttemptTrace } from '../../../../src/addons/ai/data.ts';
import { SqliteStore } from '../../../../src/addons/ai/store/sqlite-store.ts';
import { kept } from '../../../../src/addons/ai/store/usage-store.ts';
import { attempt, clientRequest } from '../../../support/ai-records.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 5, 15, 12, 34, 56);

const request = (id: string, at: number) => clientRequest({ id, at });

const counted = (id: string, at: number, cost: number | null): AttemptTrace =>
  attempt({
    id,
    at,
    cost,
    operation: 'chat',
    usageStatus: 'complete',
    usage: { input: 10, output: 5, cached: 4, cacheWrite: 0, reasoning: 1 },
  });

test('minutes become hours after two days, nothing of the sums is lost, and a month later they are gone', (t) => {
  const store = new SqliteStore(undefined);
  t.teardown(() => store.close());
  const ages = [0, 1, 2.2, 2.21, 3, 20, 40];
  for (const [index, age] of ages.entries()) {
    store.addRequest(request(`r${index}`, now - age * day));
    store.addAttempt(counted(`r${index}`, now - age * day, index % 2 === 0 ? 7 : null), '');
  }
  const whole = { from: now - 60 * day, to: now + 1, stepMs: 60_000, traces: 0 };
  const sums = () => {
    const { requests, usage, latency } = store.read(whole);
    return {
      requests: requests.reduce((sum, row) => sum + row.requests, 0),
      input: usage.reduce((sum, row) => sum + row.input, 0),
      cost: usage.reduce((sum, row) => sum + (row.cost ?? 0), 0),
      unpriced: usage.reduce((sum, row) => sum + row.unpricedRequests, 0),
      latencies: latency.filter(({ kind }) => kind === 'duration').reduce((sum, row) => sum + row.count, 0),
    };
  };
  t.deepEqual(sums(), { requests: 7, input: 70, cost: 28, unpriced: 3, latencies: 7 });
  store.prune(now);
  // All but the one that is older than a month.
  t.deepEqual(sums(), { requests: 6, input: 60, cost: 21, unpriced: 3, latencies: 6 });
  const old = store.read({ ...whole, to: now - 2.1 * day }).requests.map(({ at }) => at % 3_600_000);
  t.true(old.every((rest) => rest === 0));
  store.prune(now);
  t.deepEqual(sums(), { requests: 6, input: 60, cost: 21, unpriced: 3, latencies: 6 });
});

test('an unknown cost is null, not zero', (t) => {
  const store = new SqliteStore(undefined);
  t.teardown(() => store.close());
  const question = { from: now - day, to: now + 1, stepMs: 60_000, traces: 0 };
  store.addAttempt(counted('a', now, null), '');
  t.is(store.read(question).usage[0]?.cost, null);
  store.addAttempt(counted('b', now, 3), '');
  store.addAttempt(counted('c', now, null), '');
  t.like(store.read(question).usage[0], { cost: 3, requests: 3, unpricedRequests: 2, unpricedTokens: 30 });
});

test('the newest traces are kept', (t) => {
  const store = new SqliteStore(undefined);
  t.teardown(() => store.close());
  store.together(() => {
    for (let index = 0; index < 2500; index++) store.addRequest(request(`r${index}`, now + index));
  });
  store.pruneTraces();
  const { traces } = store.read({ from: 0, to: now + day, stepMs: day, traces: 5000 });
  t.is(traces.length, 2000);
  t.is(traces[0]?.request.id, 'r2499');
});

test('what did not go together is not there', (t) => {
  const store = new SqliteStore(undefined);
  t.teardown(() => store.close());
  t.throws(() =>
    store.together(() => {
      store.addRequest(request('a', now));
      t.false(store.isKnown('a', now));
      throw new Error('no');
    }),
  );
  t.false(store.isKnown('a', now));
  t.true(store.isKnown('a', now));
  t.is(store.read({ from: 0, to: now + 1, stepMs: day, traces: 9 }).traces.length, 0);
});

test('the file grows no more after a month', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-usage-'));
  const file = join(folder, 'usage.sqlite');
  const store = new SqliteStore(file);
  t.teardown(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  const megabytes = () => [file, `${file}-wal`].reduce((sum, each) => sum + statSync(each).size, 0) / 2 ** 20;
  const routes = [0, 1, 2, 3].map((route) => `httproute/a/${route}`);
  const oneDay = (end: number) => {
    for (let at = end - day; at < end; at += day / 48)
      for (const route of routes) {
        const id = `${route}-${at}`;
        store.isKnown(id, at);
        store.addRequest(clientRequest({ id, at, route }));
        store.addAttempt({ ...counted(id, at, 7), route }, 'key');
      }
  };
  const sizes: number[] = [];
  for (let days = 1; days <= 70; days += 1) {
    const end = now + days * day;
    store.together(() => oneDay(end));
    store.prune(end);
    sizes.push(megabytes());
  }
  const [first = 0, last = 0] = [sizes[44], sizes.at(-1)];
  t.true(last <= first * 1.02, `${first} MB after 45 days, ${last} after 70`);
  t.is(store.read({ from: now, to: now + 70 * day, stepMs: day, traces: 5000 }).traces.length, kept.traces);
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { ConfigInput } from '../../src/config/index.ts';
import { judged, message, report, reportUntilKept } from '../support/ai-reports.ts';
import { endings } from '../support/endings.ts';
import { aiObject, gateway, gatewayClass } from '../support/objects.ts';
import { Postgres } from '../support/postgres.ts';
import { startTwo } from '../support/replica.ts';
import { untilFits } from '../support/until.ts';

const policy = aiObject(
  'TokenPolicy',
  'p',
  {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'b' }],
    key: { type: 'Header', header: 'x-team' },
    budgets: [{ unit: 'Tokens', limit: '10', per: 'Month' }],
  },
  { namespace: 'a' },
);
const codes = { ok: 1, over: 2 };

const objects = [gatewayClass(), gateway('edge'), policy];

let shared: Postgres;
const ends = endings(test);
test.before(async () => {
  shared = await Postgres.start(ends);
});

const configOf = ({ url, passwordFile }: Postgres, schema = 'gatewright'): ConfigInput => ({
  aiUsage: { postgres: { url, passwordFile, tls: false, schema } },
});

test('replicas keep usage in one PostgreSQL: each reports all of it, and a restart forgets nothing', async (t) => {
  const config = configOf(shared, 'reports');
  const [a, b] = await startTwo(t, objects, { config });
  const once = message('one', 10n);
  await reportUntilKept(a, once);
  await reportUntilKept(b, once);
  await reportUntilKept(b, message('two', 20n));
  for (const replica of [a, b]) {
    const overview = await replica.json('/v1/ai/overview');
    t.like(overview, { totalRequests: 2, inputTokens: 30, complete: true, warnings: [] });
    t.is((await replica.json('/v1/ai/traces?view=flat')).length, 2);
  }
  await Promise.all([a.stop(), b.stop()]);
  const [c] = await startTwo(t, objects, { config });
  t.like(await c.json('/v1/ai/overview'), { totalRequests: 2, inputTokens: 30, complete: true });
});

test('a budget is one for all replicas, also for those that start later', async (t) => {
  const config = configOf(shared, 'budgets');
  const [a, b] = await startTwo(t, objects, { config });
  t.is(await judged(b, 'red'), codes.ok);
  await reportUntilKept(a, message('one', 10n, 'a/p red'));
  t.is(await judged(a, 'red'), codes.over, 'at once where it was reported');
  const untilOver = (replica: typeof b) =>
    untilFits(
      'the budget to be used up',
      () => judged(replica, 'red'),
      (code) => code === codes.over,
    );
  await untilOver(b);
  t.is(await judged(b, 'blue'), codes.ok);
  const [c] = await startTwo(t, objects, { config });
  await untilOver(c);
});

test('while PostgreSQL is away agents keep usage, budgets hold, and status, metrics and log say why', async (t) => {
  const postgres = await Postgres.start(t);
  const [a] = await startTwo(t, objects, { config: configOf(postgres) });
  await reportUntilKept(a, message('one', 10n, 'a/p red'));
  t.regex(await (await a.get('/metrics', 'metrics')).text(), /gatewright_ai_usage_store_connected 1/);
  const complaints = () => a.log.filter(({ component, level }) => component === 'ai-usage' && level === 50).length;
  // A busy machine may have been too late before.
  const before = complaints();
  await postgres.kill();
  const two = message('two', 20n);
  await t.throwsAsync(report(a, two), { message: /UNAVAILABLE|INTERNAL|usage/ });
  t.is(await judged(a, 'red'), codes.over);
  const { complete, warnings } = await a.json('/v1/ai/overview');
  t.false(complete);
  t.regex(warnings.join(), /the database does not answer: 127\.0\.0\.1:\d+: /);
  t.regex(await (await a.get('/metrics', 'metrics')).text(), /gatewright_ai_usage_store_connected 0/);
  const { items } = await a.json('/v1/problems');
  t.true(items.some(({ code }: { code: string }) => code === 'usage_store_away'));
  t.is(complaints(), before + 1, 'it is said once');
  await postgres.run();
  // The agent reports it again.
  await reportUntilKept(a, two);
  await reportUntilKept(a, two);
  t.like(await a.json('/v1/ai/overview'), { totalRequests: 2, inputTokens: 30, complete: true });
  t.false((await a.json('/v1/problems')).items.some(({ code }: { code: string }) => code === 'usage_store_away'));
});

test('a control plane starts and serves without its PostgreSQL, and keeps usage when it comes', async (t) => {
  const postgres = await Postgres.start(t);
  await postgres.kill();
  const [a] = await startTwo(t, objects, { config: configOf(postgres) });
  await untilFits(
    'it to serve',
    async () => (await a.get('/v1/gateways')).status,
    (status) => status === 200,
  );
  // As where no control plane can be reached.
  t.is(await judged(a, 'red'), codes.ok);
  await postgres.run();
  await reportUntilKept(a, message('one', 10n, 'a/p red'));
  t.is(await judged(a, 'red'), codes.over);
});

test('a password that changes is read for the next connection', async (t) => {
  const passwordFile = join(shared.directory, 'rotated');
  writeFileSync(passwordFile, 'wrong');
  const config = { aiUsage: { postgres: { url: shared.url, passwordFile, tls: false, schema: 'rotated' } } };
  const [a] = await startTwo(t, objects, { config });
  await t.throwsAsync(report(a, message('one', 10n)));
  writeFileSync(passwordFile, shared.password);
  await reportUntilKept(a, message('one', 10n));
  t.like(await a.json('/v1/ai/overview'), { totalRequests: 1, complete: true });
  const log = JSON.stringify(a.log);
  t.false(log.includes(shared.password));
});

import test from 'ava';
import { judged, message, report } from '../support/ai-reports.ts';
import { aiObject, gateway, gatewayClass } from '../support/objects.ts';
import { ofAllReplicas } from '../support/of-all-replicas.ts';
import { thorough } from '../support/repetitions.ts';
import { startTwo, type TestReplica } from '../support/replica.ts';
import { untilFits } from '../support/until.ts';

/** Each follows the other by a connection of its own. */
const knowEachOther = (a: TestReplica, b: TestReplica) =>
  untilFits(
    'both to know each other',
    async () => [await a.json('/v1/replicas'), await b.json('/v1/replicas')],
    (lists) => lists.every((all) => all.filter(({ state }: { state: string }) => state === 'connected').length === 1),
  );

test('reports are those of all replicas, a report that comes twice counts once, and a replica that is gone is named', async (t) => {
  const [a, b] = await startTwo(t, [gatewayClass(), gateway('edge')]);
  await knowEachOther(a, b);
  const once = message('one', 10n);
  await report(a, once);
  await report(a, once);
  await report(b, message('two', 20n));
  for (const replica of [a, b]) {
    const overview = await ofAllReplicas(replica, '/v1/ai/overview');
    t.like(overview, { totalRequests: 2, inputTokens: 30, outputTokens: 2, totalCost: null });
    t.like(overview, { source: 'local', complete: false });
    t.is(overview.warnings.length, 1, 'of the one that is asked');
    t.regex(overview.warnings[0], /memory.*set state\.directory/);
    const { from, to, stepSeconds } = overview.window;
    const lastsMs = Date.parse(to) - Date.parse(from);
    t.true(lastsMs >= 3_600_000 && lastsMs < 3_600_100 && stepSeconds > 0, `${from} ${to} ${stepSeconds}`);
    t.is((await ofAllReplicas(replica, '/v1/ai/traces')).items.length, 2);
    const cost = await ofAllReplicas(replica, '/v1/ai/cost');
    t.like(cost, { totalCost: null, unpriced: { requests: 2, tokens: 32, models: ['m'] } });
  }
  // A proxy that changed replicas in the middle.
  await report(a, message('three', 5n, undefined, 'request'));
  await report(b, message('three', 5n, undefined, 'attempt'));
  for (const replica of [a, b]) {
    const { items } = await ofAllReplicas(replica, '/v1/ai/traces');
    const three = items.find(({ id }: { id: string }) => id === 'three');
    t.like(three, { inputTokens: 5, service: 'default/openai', attempts: { length: 1 } });
  }
  await b.stop();
  const alone = await untilFits(
    'the other one to be missed',
    () => a.json('/v1/ai/overview'),
    ({ totalRequests, warnings }) => totalRequests === 2 && warnings.length === 2,
  );
  t.is(alone.inputTokens, 10);
  t.false(alone.complete);
  t.true(
    alone.warnings.some((warning: string) => /what replica .* heard of is missing/.test(warning)),
    alone.warnings.join(),
  );
});

test('a budget is one for all replicas', async (t) => {
  const spec = {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'b' }],
    key: { type: 'Header', header: 'x-team' },
    budgets: [{ unit: 'Tokens', limit: '10', per: 'Month' }],
  };
  const policy = aiObject('TokenPolicy', 'p', spec, { namespace: 'a' });
  const [a, b] = await startTwo(t, [gatewayClass(), gateway('edge'), policy]);
  const codes = { ok: 1, over: 2 };
  t.is(await judged(b, 'red'), codes.ok);
  await report(a, message('one', 10n, 'a/p red'));
  await untilFits(
    'the other one to know',
    () => judged(b, 'red'),
    (code) => code === codes.over,
  );
  t.is(await judged(a, 'red'), codes.over);
  t.is(await judged(b, 'blue'), codes.ok);
  const { budgets } = await b.json('/v1/ai/cost');
  t.is(budgets.length, 1);
  t.like(budgets[0], { policy: 'a/p', key: 'red', used: 11, limit: 10, unit: 'Tokens' });
  const metrics = await (await a.get('/metrics', 'metrics')).text();
  t.regex(
    metrics,
    /gen_ai_client_token_usage_sum\{[^}]*gen_ai_operation_name="chat"[^}]*gen_ai_token_type="input"[^}]*\} 10/,
  );
});

thorough(test)('requests under way at one replica hold a budget at all of them, also when one ends', async (t) => {
  const spec = {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'b' }],
    key: { type: 'Header', header: 'x-team' },
    budgets: [{ unit: 'Tokens', limit: '1000', per: 'Month' }],
  };
  const policy = aiObject('TokenPolicy', 'p', spec, { namespace: 'a' });
  const [a, b] = await startTwo(t, [gatewayClass(), gateway('edge'), policy]);
  await knowEachOther(a, b);
  const codes = { ok: 1, over: 2 };
  const passed: string[] = [];
  for (let at = 0; at < 110; at += 1) {
    const code = await judged(at % 2 ? a : b, 'red', `request-${at}`);
    if (code === codes.ok) passed.push(`request-${at}`);
  }
  t.is(passed.length, 100, 'a hundredth each');
  for (const replica of [a, b]) t.is(await judged(replica, 'red', 'one-more'), codes.over);
  for (const replica of [a, b]) t.is(await judged(replica, 'blue', 'another'), codes.ok);
  // What it used is reported to one of them, and known to both with its answer.
  await report(a, message('request-0', 399n, 'a/p red'));
  await untilFits(
    'the other one to know that it holds nothing now',
    () => b.json('/v1/replicas/ai-usage'),
    ({ holds }) => holds.filter(({ key }: { key: string }) => key === 'red').length === 99,
  );
  await b.stop();
  t.is(await judged(a, 'red', 'still-held'), codes.over);
});

test('a window, a step or a grouping that is none is a 400 that says what is', async (t) => {
  const [a] = await startTwo(t, []);
  for (const [path, said] of [
    ['/v1/ai/overview?window=yes', /window/],
    ['/v1/ai/overview?window=99d', /32d/],
    ['/v1/ai/token-usage?step=30s', /whole minutes/],
    ['/v1/ai/token-usage?groupBy=colour', /model, service, route, provider, key/],
    ['/v1/ai/traces?limit=0', /2000/],
    ['/v1/ai/traces?status=odd', /ok, error/],
    ['/v1/ai/cost?range=1y', /24h, 7d, 30d/],
    ['/v1/ai/services?x=1&strict=true', /unknown/],
  ] as const) {
    const response = await a.get(path);
    t.is(response.status, 400, path);
    t.regex(JSON.stringify(await response.json()), said, path);
  }
  t.like(await a.json('/v1/ai/token-usage'), { series: [], source: 'none', groupBy: 'model' });
  t.deepEqual(await a.json('/v1/ai/services'), []);
  const page = await a.get('/v1/ai/services?limit=1&sort=name');
  t.is(page.headers.get('x-total-count'), '0');
  t.truthy(page.headers.get('etag'));
});

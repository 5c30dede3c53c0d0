import { calcPrice } from '@pydantic/genai-prices';
import test from 'ava';
import type { LedgerEntry } from '../../scripts/example/fake-provider.ts';
import type { Used } from '../../scripts/example/other-operations.ts';
import { ask, chat, reportsOf, startAiWorld } from '../support/ai.ts';
import { until } from '../support/until.ts';

const usedOf = (ledger: readonly LedgerEntry[]): readonly Used[] => ledger.flatMap(({ used }) => used ?? []);
const sum = (ledger: readonly LedgerEntry[], of: keyof Used): number =>
  usedOf(ledger).reduce((total, used) => total + used[of], 0);

test('usage is reported to the token, whichever provider answered and however', async (t) => {
  const { gateway, openai, anthropic } = await startAiWorld(t);
  const { port } = gateway;
  const reports = reportsOf(gateway);
  t.is(
    (await ask(port, { body: chat('gpt-4o', { used: { input: 100, output: 20, cached: 40, reasoning: 5 } }) })).status,
    200,
  );
  await ask(port, { body: chat('gpt-4o', { used: { input: 7, output: 9 } }, { stream: true }) });
  await ask(port, { body: chat('claude-sonnet-4-5', { used: { input: 50, output: 11, cached: 20, cacheWrite: 10 } }) });
  await ask(port, {
    body: chat('claude-sonnet-4-5', { used: { input: 60, output: 13, cached: 30 } }, { stream: true }),
  });
  await ask(port, { body: chat('gpt-4o', { only: 'openai', status: 500, used: { input: 3, output: 4 } }) });
  await ask(port, { body: chat('gpt-4o', { reports: 'nothing' }, { stream: true }) });
  await ask(port, { body: chat('nothing') });
  const ledger = [...openai.ledger, ...anthropic.ledger];
  await until('all of it to be reported', async () => (await reports.overview()).totalRequests === 7);
  await until('all of it to be reported', async () => (await reports.usage()).totals.requests === 7);

  const overview = await reports.overview();
  t.is(overview.inputTokens, sum(ledger, 'input'));
  t.is(overview.outputTokens, sum(ledger, 'output'));
  t.like(overview, {
    failedRequests: 1,
    fallbackRequests: 1,
    totalServices: 2,
    readyServices: 2,
    source: 'local',
    complete: true,
    warnings: [],
  });
  t.deepEqual(overview.activeModels, ['claude-sonnet-4-5', 'gpt-4o']);

  const usage = await reports.usage('?groupBy=provider');
  t.is(usage.totals.cachedTokens, sum(ledger, 'cached'));
  t.is(usage.totals.cacheWriteTokens, sum(ledger, 'cacheWrite'));
  t.is(usage.totals.reasoningTokens, sum(ledger, 'reasoning'));
  t.is(usage.totals.unmetered, 1);
  const ofProvider = (provider: string) =>
    usage.series.filter((point) => point.provider === provider).reduce((total, point) => total + point.totalTokens, 0);
  t.is(ofProvider('openai'), sum(openai.ledger, 'input') + sum(openai.ledger, 'output'));
  t.is(ofProvider('anthropic'), sum(anthropic.ledger, 'input') + sum(anthropic.ledger, 'output'));
  const byModel = await reports.usage('?groupBy=model&step=1h&window=24h');
  t.deepEqual([...new Set(byModel.series.map(({ model }) => model))].sort(), ['claude-sonnet-4-5', 'gpt-4o']);

  const traces = await reports.traces();
  t.is(traces.items.length, 7);
  const fallen = traces.items.find(({ attempts }) => attempts.length === 2);
  t.deepEqual(
    fallen?.attempts.map(({ service, status }) => [service, status]),
    [
      ['default/openai', 500],
      ['default/anthropic', 200],
    ],
  );
  t.deepEqual(traces.items.map(({ usageStatus }) => usageStatus).sort(), [
    'absent',
    'absent',
    'complete',
    'complete',
    'complete',
    'complete',
    'complete',
  ]);
  t.like(traces.items.at(-1), {
    model: 'gpt-4o',
    responseModel: 'gpt-4o-2026',
    operation: 'chat',
    inputTokens: 100,
    status: 'ok',
  });

  const cost = await reports.cost();
  const price = (model: string, providerId: string, { input, output, cached, cacheWrite }: Used) =>
    calcPrice(
      { input_tokens: input, output_tokens: output, cache_read_tokens: cached, cache_write_tokens: cacheWrite },
      model,
      { providerId },
    )?.total_price ?? Number.NaN;
  const expected =
    usedOf(openai.ledger).reduce((total, used) => total + price('gpt-4o', 'openai', used), 0) +
    usedOf(anthropic.ledger).reduce((total, used) => total + price('claude-sonnet-4-5', 'anthropic', used), 0);
  t.true(Math.abs((cost.totalCost ?? 0) - expected) < 1e-8, `${cost.totalCost} ${expected}`);
  t.is(cost.unpriced.requests, 0);

  const scrape = await fetch(`http://127.0.0.1:${gateway.control.ports.metrics}/metrics`);
  const of = 'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="gpt-4o"';
  const lines = (await scrape.text()).split('\n');
  const value = (series: string) => Number(lines.find((line) => line.startsWith(`${series} `))?.split(' ')[1]);
  t.is(
    value(`gen_ai_client_token_usage_sum{${of},gen_ai_token_type="input"}`),
    openai.ledger.reduce((total, { used }) => total + (used?.input ?? 0), 0),
  );
  t.is(value(`gen_ai_client_operation_duration_seconds_count{${of},error_type="500"}`), 1);
  t.is(value(`gen_ai_client_operation_time_to_first_chunk_seconds_count{${of}}`), 2, 'of streams');

  const services = await reports.services();
  t.deepEqual(
    services.map(({ name, status, routes, nodes, credential }) => [name, status, routes, nodes, credential?.present]),
    [
      ['anthropic', 'ready', ['default/ai'], { programmed: 1, total: 1 }, true],
      ['openai', 'ready', ['default/ai'], { programmed: 1, total: 1 }, true],
    ],
  );
  const json = async (path: string) => (await gateway.json(gateway.control.ports.layout1, path)).body as unknown;
  const [node] = (await json('/v1/nodes')) as readonly { readonly nodeId: string }[];
  t.like(await json('/v1/dashboard/capabilities'), { aiOverview: true, aiTokenPolicies: true, aiCost: true });
  const dumps = [await json('/v1/snapshot'), await json(`/v1/snapshot?format=envoy&node=${node?.nodeId}`)];
  const everything = JSON.stringify([services, traces, ...dumps, gateway.log]);
  t.false(/sk-one|ak-two|Good day|c2stb25l/.test(everything));
});

import test from 'ava';
import { ask, reportsOf, startAiWorld } from '../support/ai.ts';
import { untilFits } from '../support/until.ts';

/** What is asked besides chats, and what its last event or body has. */
const questions = [
  { path: '/v1/completions', body: { prompt: { used: { input: 11, output: 5 } } }, has: '"text_completion"' },
  {
    path: '/v1/completions',
    body: { prompt: { used: { input: 13, output: 6 } }, stream: true },
    has: '"prompt_tokens":13',
  },
  { path: '/v1/embeddings', body: { input: { used: { input: 17, output: 0 } } }, has: '"embedding"' },
  {
    path: '/v1/responses',
    body: { input: { used: { input: 40, output: 20, cached: 10, reasoning: 8 } } },
    has: '"output_text"',
  },
  {
    path: '/v1/responses',
    body: { input: { used: { input: 50, output: 30, cached: 20, reasoning: 9 } }, stream: true },
    has: 'event: response.completed',
  },
];

test('completions, embeddings and responses pass as they are, and what they used is known', async (t) => {
  const { gateway, openai } = await startAiWorld(t);
  for (const { path, body, has } of questions) {
    const said = Object.fromEntries(
      Object.entries(body).map(([key, value]) => [key, typeof value === 'object' ? JSON.stringify(value) : value]),
    );
    const answer = await ask(gateway.port, { path, body: { model: 'fast', ...said } });
    t.is(answer.status, 200, `${path} ${answer.text}`);
    t.true(answer.text.includes(has), `${path} ${answer.text}`);
    t.is(openai.ledger.at(-1)?.path, path);
    t.is(openai.ledger.at(-1)?.body.model, 'gpt-4o-mini', 'in the words of the provider');
  }
  const reports = reportsOf(gateway);
  const { items } = await untilFits(
    'all to be reported',
    () => reports.traces(),
    (traces) => traces.items.length === questions.length && traces.items.every(({ operation }) => operation !== null),
  );
  const reported = items.map(({ operation, stream, inputTokens, outputTokens, usageStatus }) => [
    operation,
    stream,
    inputTokens,
    outputTokens,
    usageStatus,
  ]);
  t.deepEqual(reported.reverse(), [
    ['text_completion', false, 11, 5, 'complete'],
    ['text_completion', true, 13, 6, 'complete'],
    ['embeddings', false, 17, 0, 'complete'],
    ['responses', false, 40, 20, 'complete'],
    ['responses', true, 50, 30, 'complete'],
  ]);
  const { totals } = await reports.usage();
  t.like(totals, {
    promptTokens: 131,
    completionTokens: 61,
    cachedTokens: 30,
    reasoningTokens: 17,
    requests: 5,
    unmetered: 0,
  });
});

test('what a service cannot do is not held against it, and metrics have the names of resources, whatever clients write', async (t) => {
  const { gateway, openai, anthropic } = await startAiWorld(t);
  for (const model of ['claude-sonnet-4-5', 'o3-one', 'o3-two']) {
    const input = JSON.stringify({ used: { input: 3, output: 0 } });
    const { status } = await ask(gateway.port, { path: '/v1/embeddings', body: { model, input } });
    t.is(status, model === 'claude-sonnet-4-5' ? 404 : 200);
  }
  t.is(anthropic.ledger.length, 0);
  const reports = reportsOf(gateway);
  await untilFits('all to be reported', reports.overview, ({ totalRequests }) => totalRequests === 3);
  await untilFits('all to be reported', reports.usage, ({ totals }) => totals.requests >= openai.ledger.length);
  t.is((await reports.usage()).totals.requests, openai.ledger.length);
  const [rejected] = (await reports.traces('?status=error')).items;
  t.like(rejected, { httpStatus: 404, model: 'claude-sonnet-4-5', attempts: [] });

  const scrape = await fetch(`http://127.0.0.1:${gateway.control.ports.metrics}/metrics`);
  const counts = (await scrape.text()).split('\n').filter((line) => /^gen_ai_.*_count/.test(line));
  const of = 'gen_ai_operation_name="embeddings",gen_ai_provider_name="openai",gen_ai_request_model="o3-"';
  t.deepEqual(counts.sort(), [
    `gen_ai_client_operation_duration_seconds_count{${of},error_type=""} 2`,
    `gen_ai_client_token_usage_count{${of},gen_ai_token_type="input"} 2`,
    `gen_ai_client_token_usage_count{${of},gen_ai_token_type="output"} 2`,
  ]);
});

import test from 'ava';
import { ask, chat, reportsOf, startAiWorld } from '../support/ai.ts';
import { untilFits } from '../support/until.ts';

test('a provider that misbehaves costs its own requests and no others', async (t) => {
  const { gateway, openai } = await startAiWorld(t);
  const { port } = gateway;
  const reports = reportsOf(gateway);
  // `o3-` is a model that no other service has, so nothing is made up for.
  const trouble = (behaviour: Parameters<typeof chat>[1], stream = false) =>
    ask(port, { body: chat('o3-x', behaviour, { stream }) });

  const limited = await trouble({ status: 429, headers: { 'retry-after': '7' } });
  t.is(limited.status, 429);
  t.is(limited.headers['retry-after'], '7');

  const hanging = await trouble({ trouble: 'hang' });
  t.is(hanging.status, 504);

  const cut = await trouble({ trouble: 'cut' }, true);
  t.true(cut.cut || cut.status >= 500, JSON.stringify(cut));
  t.true((await trouble({ trouble: 'cut' })).cut);

  t.is((await trouble({ trouble: 'garbage' }, true)).status, 200);
  t.is((await trouble({ trouble: 'garbage' })).status, 200);

  const lies = [
    { prompt_tokens: -5, completion_tokens: 'many', total_tokens: null },
    { prompt_tokens: 1e30, completion_tokens: 1e30 },
    'a lot',
    [],
  ];
  for (const rawUsage of lies) t.is((await trouble({ rawUsage })).status, 200, JSON.stringify(rawUsage));

  const silent = await trouble({ trouble: 'silent' }, true);
  t.is(silent.status, 200);
  t.true(silent.cut);

  const long = await trouble({ text: 'x'.repeat(10 * 1024 * 1024), used: { input: 3, output: 5 } });
  t.is(long.status, 200);
  t.true(long.text.length > 10 * 1024 * 1024);
  const longRequest = await ask(port, { body: chat('gpt-4o', 'y'.repeat(4 * 1024 * 1024)) });
  t.is(longRequest.status, 200);

  t.is((await ask(port, { body: chat('gpt-4o', { used: { input: 1, output: 2 } }) })).status, 200);
  const asked = 14;
  const { totalRequests, totalTokens } = await untilFits(
    'all to be reported',
    () => reports.overview(),
    (report) => report.totalRequests === asked,
  );
  t.is(totalRequests, asked);
  t.true(Number.isSafeInteger(totalTokens) && totalTokens >= 0, String(totalTokens));
  const { items } = await reports.traces();
  t.deepEqual(
    items.slice(-4).map(({ status, httpStatus, errorType }) => [status, httpStatus, errorType]),
    [
      ['error', 200, 'upstream_reset'],
      ['error', 200, 'upstream_reset'],
      ['error', 504, 'timeout'],
      ['error', 429, '429'],
    ],
  );
  const { unmetered } = (await reports.usage()).totals;
  t.true(unmetered > 0);
  t.is(openai.ledger.at(-1)?.body.model, 'gpt-4o');
});

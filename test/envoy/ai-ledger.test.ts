import { calcPrice } from '@pydantic/genai-prices';
import test from 'ava';
import type { Behaviour, LedgerEntry } from '../../scripts/example/fake-provider.ts';
import type { Used } from '../../scripts/example/other-operations.ts';
import { ask, chat, reportsOf, startAiWorld } from '../support/ai.ts';
import { until } from '../support/until.ts';

/** One of the shapes in which usage comes. */
interface Shape {
  readonly model: string;
  readonly stream: boolean;
  readonly behaviour: Behaviour;
}

/** Seven shapes, each with counts of its own. */
function shapeOf(index: number): Shape {
  const used = { input: 50 + ((index * 37) % 900), output: 1 + ((index * 13) % 400) };
  const half = { ...used, cached: Math.floor(used.input / 2) };
  const shapes: readonly Shape[] = [
    { model: 'gpt-4o', stream: false, behaviour: { used } },
    { model: 'gpt-4o', stream: true, behaviour: { used: { ...half, reasoning: Math.floor(used.output / 2) } } },
    { model: 'gpt-4o', stream: true, behaviour: { used: half, reports: 'usage-with-choices' } },
    { model: 'claude-sonnet-4-5', stream: false, behaviour: { used: { ...half, cacheWrite: 10 } } },
    { model: 'claude-sonnet-4-5', stream: true, behaviour: { used: { ...half, cacheWrite: 20 } } },
    { model: 'gpt-4o', stream: true, behaviour: { reports: 'nothing' } },
    { model: 'gpt-4o', stream: true, behaviour: { trouble: 'cut' } },
  ];
  return shapes[index % shapes.length] as Shape;
}

const asked = 1000;
const atOnce = 8;

test('answers of every shape add up to what the providers counted', async (t) => {
  t.timeout(300_000);
  const { gateway, openai, anthropic } = await startAiWorld(t);
  let next = 0;
  const asker = async () => {
    for (let index = next++; index < asked; index = next++) {
      const { model, stream, behaviour } = shapeOf(index);
      await ask(gateway.port, { body: chat(model, behaviour, { stream }) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, asker));
  const reports = reportsOf(gateway);
  const ledger = [...openai.ledger, ...anthropic.ledger];
  await until(
    'all of it to be reported',
    async () =>
      (await reports.usage()).totals.requests >= ledger.length && (await reports.overview()).totalRequests === asked,
    240_000,
  );
  const sum = (of: keyof Used) => usedOf(ledger).reduce((total, used) => total + used[of], 0);
  const { totals } = await reports.usage();
  t.deepEqual(
    { ...totals },
    {
      promptTokens: sum('input'),
      completionTokens: sum('output'),
      totalTokens: sum('input') + sum('output'),
      cachedTokens: sum('cached'),
      cacheWriteTokens: sum('cacheWrite'),
      reasoningTokens: sum('reasoning'),
      requests: ledger.length,
      unmetered: ledger.filter(({ used }) => used === undefined).length,
    },
  );
  const cost = await reports.cost();
  const expected = nanos(openai.ledger, 'gpt-4o', 'openai') + nanos(anthropic.ledger, 'claude-sonnet-4-5', 'anthropic');
  t.true(Math.abs((cost.totalCost ?? 0) - expected / 1e9) < 1e-9, `${cost.totalCost} ${expected / 1e9}`);
  t.is((await reports.traces('?limit=2000')).items.length, asked);
});

const usedOf = (ledger: readonly LedgerEntry[]): readonly Used[] => ledger.flatMap(({ used }) => used ?? []);

/** What the catalogue's own library says, in whole nano-dollars for each answer. */
const nanos = (ledger: readonly LedgerEntry[], model: string, providerId: string): number =>
  usedOf(ledger).reduce((total, { input, output, cached, cacheWrite }) => {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      cache_read_tokens: cached,
      cache_write_tokens: cacheWrite,
    };
    return total + Math.round((calcPrice(usage, model, { providerId })?.total_price ?? Number.NaN) * 1e9);
  }, 0);

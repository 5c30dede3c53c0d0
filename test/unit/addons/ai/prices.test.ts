import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calcPrice } from '@pydantic/genai-prices';
import test from 'ava';
import { root } from '../../../../scripts/paths.mjs';
import { windowOf } from '../../../../src/addons/ai/budgets/windows.ts';
import { costOf, priceVersion, unitPrices } from '../../../../src/addons/ai/prices.ts';
import type { Usage } from '../../../../src/addons/ai/records.ts';
import type { ObjectByKind } from '../../../../src/gateway-api/index.ts';
import { aiObject } from '../../../support/objects.ts';

type Service = ObjectByKind['AIService'];

const service = (provider: string, models: readonly object[]): Service =>
  aiObject('AIService', 's', { provider, endpoint: { hostname: 'x.test' }, models });
const used = (usage: Partial<Usage>): Usage => ({
  input: 0,
  output: 0,
  cached: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...usage,
});
const at = Date.UTC(2026, 5, 15);

test('reports name the version of the catalogue that is used', (t) => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  t.is(priceVersion, `@pydantic/genai-prices ${dependencies['@pydantic/genai-prices']}`);
});

test('a price of the resource is for a million tokens, exact to the nano-dollar', (t) => {
  const own = service('openai', [{ name: 'm', price: { input: '2.5', output: '10', cachedInput: '0.000001' } }]);
  const priced = { service: own, model: 'm', responseModel: null, at };
  t.is(costOf(priced, used({ input: 1_000_000 })), 2_500_000_000);
  t.is(costOf(priced, used({ input: 3, output: 7 })), 3 * 2500 + 7 * 10_000);
  t.is(costOf(priced, used({ input: 1_000_000_000, cached: 1_000_000_000 })), 1_000_000);
  t.is(costOf(priced, used({ input: 1, cached: 1 })), 0);
  t.deepEqual(unitPrices(priced), {
    inputPerMTok: 2.5,
    outputPerMTok: 10,
    cachedPerMTok: 0.000001,
    source: 'override',
  });
});

test('the catalogue knows the model that answered, else the one that was asked for', (t) => {
  const own = service('openai', [
    { name: 'fast', as: 'gpt-4o-mini' },
    { name: 'gpt-', match: 'Prefix' },
  ]);
  const usage = used({ input: 1000, output: 100, cached: 600 });
  const of = (model: string) =>
    Math.round(
      (calcPrice({ input_tokens: 1000, output_tokens: 100, cache_read_tokens: 600 }, model, { providerId: 'openai' })
        ?.total_price ?? Number.NaN) * 1e9,
    );
  t.is(costOf({ service: own, model: 'fast', responseModel: null, at }, usage), of('gpt-4o-mini'));
  t.is(costOf({ service: own, model: 'fast', responseModel: 'gpt-4o', at }, usage), of('gpt-4o'));
  t.is(costOf({ service: own, model: 'gpt-4o', responseModel: 'no such model', at }, usage), of('gpt-4o'));
});

test('the cost of a model without a known price is null', (t) => {
  const usage = used({ input: 10, output: 10 });
  for (const [provider, model] of [
    ['custom', 'gpt-4o'],
    ['openai', 'no such model'],
  ] as const) {
    const priced = { service: service(provider, [{ name: model }]), model, responseModel: null, at };
    t.is(costOf(priced, usage), null);
    t.is(unitPrices(priced).source, 'none');
  }
  t.is(costOf({ service: undefined, model: 'gpt-4o', responseModel: null, at }, usage), null);
  // More was cached than there was: no bill can be made of that.
  const lying = { service: service('openai', [{ name: 'gpt-4o' }]), model: 'gpt-4o', responseModel: null, at };
  const cost = costOf(lying, used({ input: 1, cached: 1000 }));
  t.true(cost === null || cost >= 0, String(cost));
});

test('windows begin with the minute, hour, day or month of UTC', (t) => {
  const now = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
  const nextYear = Date.UTC(2027, 0, 1);
  t.deepEqual(windowOf('Minute', now), { start: nextYear - 60_000, end: nextYear });
  t.deepEqual(windowOf('Hour', now), { start: nextYear - 3_600_000, end: nextYear });
  t.deepEqual(windowOf('Day', now), { start: nextYear - 86_400_000, end: nextYear });
  t.deepEqual(windowOf('Month', now), { start: Date.UTC(2026, 11, 1), end: nextYear });
});

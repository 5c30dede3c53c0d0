import type { ObjectByKind } from '../../gateway-api/index.ts';
import { priceCatalogue } from './price-catalogue.ts';
import type { Usage } from './records.ts';

type AIService = ObjectByKind['AIService'];
type Model = AIService['spec']['models'][number];

/** The catalogue that prices come from, where an AIService does not say them itself. */
export const priceVersion = '@pydantic/genai-prices 0.1.8';

/** Our words, which are OpenTelemetry's, in those of the catalogue. */
const catalogueIds: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  'azure.ai.openai': 'azure',
  'aws.bedrock': 'aws',
  'gcp.gemini': 'google',
  'gcp.vertex_ai': 'google',
  mistral_ai: 'mistral',
  groq: 'groq',
  deepseek: 'deepseek',
  x_ai: 'x-ai',
  cohere: 'cohere',
  perplexity: 'perplexity',
};

/** US dollars for a million tokens; null where the price is unknown. */
export interface UnitPrices {
  readonly inputPerMTok: number | null;
  readonly outputPerMTok: number | null;
  readonly cachedPerMTok: number | null;
  readonly source: 'override' | 'catalog' | 'none';
}

const unpriced: UnitPrices = { inputPerMTok: null, outputPerMTok: null, cachedPerMTok: null, source: 'none' };

/** The entry of a service's list that a request's model fell under. */
export function modelOf(service: AIService | undefined, asked: string): Model | undefined {
  const models = service?.spec.models ?? [];
  const exact = models.find(({ name, match }) => match !== 'Prefix' && name === asked);
  const prefixes = models.filter(({ name, match }) => match === 'Prefix' && asked.startsWith(name));
  return exact ?? prefixes.sort((a, b) => b.name.length - a.name.length)[0];
}

/** What was asked of whom. */
export interface Priced {
  readonly service: AIService | undefined;
  readonly model: string;
  readonly responseModel: string | null;
  readonly at: number;
}

/** What some usage costs in whole nano-dollars (10^-9); null where its price is unknown. */
export function costOf(priced: Priced, usage: Usage): number | null {
  const entry = modelOf(priced.service, priced.model);
  if (entry?.price) return overrideCost(entry.price, usage);
  const found = catalogue(priced, usage);
  return found ? Math.round(found.total_price * 1e9) : null;
}

/** What a million tokens cost at the smallest tier. */
export function unitPrices(priced: Priced): UnitPrices {
  const entry = modelOf(priced.service, priced.model);
  if (entry?.price) {
    const { input, output, cachedInput = input } = entry.price;
    return {
      inputPerMTok: Number(input),
      outputPerMTok: Number(output),
      cachedPerMTok: Number(cachedInput),
      source: 'override',
    };
  }
  const found = catalogue(priced, { input: 1, output: 1, cached: 0, cacheWrite: 0, reasoning: 0 });
  if (!found) return unpriced;
  const of = (key: string): number | null => {
    const price = found.model_price[key];
    return typeof price === 'number' ? price : (price?.base ?? null);
  };
  return {
    inputPerMTok: of('input_mtok'),
    outputPerMTok: of('output_mtok'),
    cachedPerMTok: of('cache_read_mtok'),
    source: 'catalog',
  };
}

/** The model that answered is the one that is paid for; the catalogue may know it by the name it was asked by. */
function catalogue({ service, model, responseModel, at }: Priced, usage: Usage) {
  const providerId = service && catalogueIds[service.spec.provider];
  if (providerId === undefined) return undefined;
  const names = [responseModel, modelOf(service, model)?.as, model];
  for (const name of new Set(names.flatMap((one) => one || []))) {
    const found = tryPrice(usage, name, providerId, new Date(at));
    if (found) return found;
  }
  return undefined;
}

/** What the library cannot price, such as counts that contradict each other, has no price. */
function tryPrice({ input, output, cached, cacheWrite }: Usage, model: string, providerId: string, timestamp: Date) {
  try {
    const usage = {
      input_tokens: input,
      output_tokens: output,
      ...(cached > 0 && { cache_read_tokens: cached }),
      ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }),
    };
    return priceCatalogue().calcPrice(usage, model, { providerId, timestamp });
  } catch {
    return null;
  }
}

/** Exact: tokens times millionths of a dollar for a million are 10^-12 dollars. */
function overrideCost(price: NonNullable<Model['price']>, { input, output, cached, cacheWrite }: Usage): number {
  const plain = Math.max(0, input - cached - cacheWrite);
  const pico =
    BigInt(plain) * micro(price.input) +
    BigInt(cached) * micro(price.cachedInput ?? price.input) +
    BigInt(cacheWrite) * micro(price.cacheWrite ?? price.input) +
    BigInt(output) * micro(price.output);
  return Number((pico + 500n) / 1000n);
}

/** A decimal number with at most six digits behind its point, in millionths. */
export function micro(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
}

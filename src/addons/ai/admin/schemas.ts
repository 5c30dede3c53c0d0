import * as z from 'zod';
import { named } from '../../../admin/index.ts';

const object = z.strictObject;
const count = z.int().min(0);
const dollars = z.number().nullable().describe('US dollars; null where no price is known');
const millis = z.number().nullable();

const quantiles = object({ p50: millis, p95: millis });

const head = {
  window: object({ from: z.iso.datetime(), to: z.iso.datetime(), stepSeconds: z.number() }),
  source: z.enum(['local', 'none']),
  complete: z.boolean().describe('False where something of the time is missing: `warnings` say what'),
  warnings: z.array(z.string()),
};

export const aiOverview = named('AiOverview', 'Requests to models in numbers.', {
  ...head,
  totalServices: count,
  readyServices: count,
  totalRequests: count,
  failedRequests: count,
  totalTokens: count,
  inputTokens: count,
  outputTokens: count,
  totalCost: dollars,
  averageLatency: millis,
  p50: millis,
  p95: millis,
  p99: millis,
  timeToFirstTokenMs: quantiles,
  fallbackRequests: count,
  limitedRequests: count,
  activeModels: z.array(z.string()),
  providers: z.array(
    object({
      provider: z.string(),
      services: count,
      requests: count,
      errorRate: z.number(),
      tokens: count,
      cost: dollars,
    }),
  ),
});

const price = z.number().nullable();
const unitPrices = named('AiUnitPrices', 'Dollars for a million tokens; null where no price is known.', {
  inputPerMTok: price,
  outputPerMTok: price,
  cachedPerMTok: price,
  source: z.enum(['override', 'catalog', 'none']),
});

const condition = object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  observedGeneration: z.int(),
});

export const aiService = named('AiService', 'An AIService, its state and what it did in five minutes.', {
  name: z.string(),
  namespace: z.string(),
  provider: z.string(),
  format: z.enum(['OpenAI', 'Anthropic']),
  model: z.string(),
  models: z.array(
    object({ match: z.string(), type: z.enum(['Exact', 'Prefix']), as: z.string().nullable(), price: unitPrices }),
  ),
  endpoint: z.string().describe('`https://HOST:PORT/PATH`, or `inferencepool/NAMESPACE/NAME`'),
  pool: object({
    name: z.string(),
    endpoints: object({ ready: count, total: count })
      .nullable()
      .describe('Model servers that proxies know; null where no Gateway uses the pool'),
    picker: object({
      service: z.string(),
      failureMode: z.enum(['FailOpen', 'FailClose']).describe('Without it: any model server, or 503'),
    })
      .nullable()
      .describe('What chooses the model server; null: none'),
  })
    .nullable()
    .describe('The InferencePool that it is; null for providers outside'),
  credential: object({ secret: z.string(), present: z.boolean(), resourceVersion: z.string().nullable() }).nullable(),
  fallback: z.array(z.string()),
  routes: z.array(z.string()),
  conditions: z.array(condition),
  status: z.enum(['ready', 'notReady']),
  nodes: object({ programmed: count, total: count }),
  last5m: object({
    requests: count,
    errors: count,
    p95Ms: millis,
    timeToFirstTokenMs: quantiles,
    timePerOutputTokenMs: quantiles.describe('The mean of each streamed answer'),
  }),
});

const counts = {
  promptTokens: count,
  completionTokens: count,
  totalTokens: count,
  cachedTokens: count,
  cacheWriteTokens: count,
  reasoningTokens: count,
  requests: count,
  unmetered: count.describe('Complete answers that reported no usage'),
};

const usageSeries = z.array(
  named('AiUsage', 'Tokens of one group in one step of the time.', {
    model: z.string().nullable(),
    service: z.string().nullable(),
    route: z.string().nullable(),
    provider: z.string().nullable(),
    key: z.string().nullable(),
    ...counts,
    timestamp: z.iso.datetime(),
  }),
);

export const aiTokenUsage = named('AiTokenUsage', 'Tokens by group and time.', {
  ...head,
  groupBy: z.enum(['model', 'service', 'route', 'provider', 'key']),
  totals: object(counts),
  series: usageSeries,
}).or(usageSeries);

const pick = named('AiPick', 'Which model server of an InferencePool was asked, and why.', {
  pool: z.string().describe('`NAMESPACE/NAME` of the InferencePool'),
  outcome: z
    .enum(['picked', 'replaced', 'any', 'failed', 'answered', 'unknown'])
    .describe(
      '`picked`: the picker named the server; `replaced`: none of those that it named could be asked; `any`: no picker was asked, or it failed and the pool fails open; `failed`: it failed, and no server was asked; `answered`: it answered by itself; `unknown`: no server answered',
    ),
  endpoint: z.string().nullable().describe('`IP:PORT`'),
  named: z.array(z.string()).describe('What the picker named, the best first'),
});

const traceItems = z.array(
  named('AiTrace', 'One request to a model.', {
    id: z.string(),
    traceId: z.string().nullable(),
    spanId: z.string().nullable(),
    timestamp: z.iso.datetime(),
    node: z.string(),
    route: z.string(),
    service: z.string().nullable(),
    provider: z.string().nullable(),
    operation: z.string().nullable(),
    model: z.string(),
    responseModel: z.string().nullable(),
    stream: z.boolean(),
    status: z.enum(['ok', 'error']),
    httpStatus: z.int(),
    attempts: z.array(
      object({
        service: z.string(),
        status: z.int(),
        errorType: z.string().nullable(),
        timeToFirstTokenMs: millis,
        timePerOutputTokenMs: millis.describe('The mean of a streamed answer'),
        pick: pick.nullable().describe('Null where the service is no InferencePool'),
      }),
    ),
    duration: z.number(),
    timeToFirstTokenMs: millis,
    tokens: count,
    inputTokens: count,
    outputTokens: count,
    usageStatus: z.enum(['complete', 'partial', 'failed', 'absent']),
    cost: dollars,
    errorType: z.string().nullable(),
  }),
);

export const aiTraces = named('AiTraces', 'Requests to models, the newest first.', {
  ...head,
  items: traceItems,
  next: z.string().nullable(),
}).or(traceItems);

export const aiCost = named('AiCost', 'What requests to models cost.', {
  ...head,
  currency: z.literal('USD'),
  priceVersion: z.string(),
  totalCost: dollars,
  todayCost: dollars,
  monthCost: dollars,
  projectedMonthCost: dollars,
  byModel: z.array(
    object({
      model: z.string(),
      provider: z.string(),
      inputTokens: count,
      cachedTokens: count,
      outputTokens: count,
      requests: count,
      cost: dollars,
      unitPrices,
    }),
  ),
  byRoute: z.array(object({ route: z.string(), requests: count, tokens: count, cost: dollars })),
  trend: z.array(object({ date: z.string(), model: z.string(), cost: dollars })),
  unpriced: object({ requests: count, tokens: count, models: z.array(z.string()) }),
  budgets: z.array(
    object({
      policy: z.string(),
      key: z.string(),
      unit: z.enum(['Tokens', 'Cost']),
      per: z.string(),
      used: z.number(),
      limit: z.number(),
      resetsAt: z.iso.datetime(),
    }),
  ),
});

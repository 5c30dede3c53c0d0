import * as z from 'zod';
import { aiUsagePath } from '../../addons/ai/index.ts';
import { aiServiceList } from '../layout1/ai.ts';
import * as ai from '../layout1/ai-schemas.ts';
import { listOf, type Operation } from './operation.ts';

const report = (path: string, summary: string, more: Partial<Operation>): Operation => ({
  method: 'get',
  path,
  tag: 'AI gateway',
  summary,
  errors: ['query_invalid'],
  ...more,
});

const window = 'How far back: such as 5m, 24h or 7d; 1h by default';
const view = '`flat`: the list alone';

/** Reports on AI traffic, of all replicas. */
export const aiOperations: readonly Operation[] = [
  report('/v1/ai/overview', 'How requests to models are doing', { answer: ai.aiOverview, query: { window } }),
  report('/v1/ai/services', 'AIServices with their prices and how they did in the last five minutes', {
    ...listOf(ai.aiServices, aiServiceList),
  }),
  report('/v1/ai/token-usage', 'Tokens by time', {
    answer: ai.aiTokenUsage,
    query: {
      window,
      step: 'How long each part is, in whole minutes',
      groupBy: 'model, service, route, provider or key',
      view,
    },
  }),
  report('/v1/ai/traces', 'Requests to models, the newest first; no prompt and no answer is kept', {
    answer: ai.aiTraces,
    query: {
      limit: 'How many at most, up to 2000; 100 by default',
      cursor: '`next` of the answer before',
      model: 'Only requests for this model',
      status: '`ok` or `error`',
      minMs: 'Only requests that took so long',
      view,
    },
  }),
  report('/v1/ai/cost', 'What was paid, and what is left of budgets', {
    answer: ai.aiCost,
    query: { range: '24h, 7d or 30d' },
  }),
  report(aiUsagePath, 'What this replica alone knows; replicas ask each other', {
    answer: z.unknown(),
    query: {
      from: 'Milliseconds since 1970',
      to: 'The same',
      stepMs: 'How long each part is',
      traces: 'How many traces',
    },
  }),
];

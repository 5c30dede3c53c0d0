import * as z from 'zod';
import { counted } from '../../../std/index.ts';
import { withQuery } from '../ask-admin.ts';
import { tool } from './tool.ts';
import type { AiCostAnswer, AiOverviewAnswer } from './wire.ts';

export const aiReportTool = tool({
  name: 'ai_report',
  title: 'Requests to models, their tokens, costs and budgets',
  description:
    'How requests to AI models are doing: services, requests, failures and tokens; what they cost, by model; how much of each budget of a TokenPolicy is used, and when it starts again.',
  input: z.strictObject({ range: z.enum(['24h', '7d', '30d']).default('24h') }),
  async run({ range }, { ask }) {
    const overview = (await ask({ method: 'GET', path: '/v1/ai/overview' })).body as AiOverviewAnswer;
    const cost = (await ask({ method: 'GET', path: withQuery('/v1/ai/cost', { range }) })).body as AiCostAnswer;
    const summary = `${counted(overview.totalServices, 'AIService')}, ${counted(cost.budgets.length, 'budget')}`;
    return { summary, value: { overview, cost } };
  },
});

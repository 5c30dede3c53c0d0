import * as z from 'zod';
import { named } from '../../../admin/index.ts';
import { settingsTest } from '../../settings/admin/index.ts';

const config = {
  configured: z.boolean(),
  mode: z.enum(['llm', 'builtin']),
  provider: z.string(),
  apiEndpoint: z.string(),
  apiKey: z.string().describe('Masked'),
  apiKeySet: z.boolean(),
  model: z.string(),
  temperature: z.number(),
  origin: z.enum(['none', 'configuration', 'settings']),
  place: z.string().describe('Where settings are kept'),
};

export const chatbotConfig = named('ChatbotConfig', 'Settings of the chatbot.', config);
export const changedChatbotConfig = named(
  'ChangedChatbotConfig',
  'Settings of the chatbot after a change, and whether the model answers.',
  { ...config, test: settingsTest },
);

export const docs = named(
  'DocumentationHits',
  'Passages of the documentation and objects of examples, the best first.',
  {
    hits: z.array(
      named('DocumentationHit', 'A passage of the documentation, or an object of an example.', {
        link: z.string().describe('Such as docs/policies.md#backendpolicy or examples/canary'),
        title: z.string(),
        heading: z.string(),
        text: z.string(),
        manifest: z.string().nullable().describe('YAML of an example'),
        score: z.number(),
        coverage: z.number().describe('The part of the words that it has, from 0 to 1'),
      }),
    ),
  },
);

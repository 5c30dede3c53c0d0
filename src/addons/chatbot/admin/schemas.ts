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

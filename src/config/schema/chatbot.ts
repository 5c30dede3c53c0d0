import * as z from 'zod';
import { SecretText } from '../secret-text.ts';
import { flag, text } from './leaf.ts';

/** The model that answers the chatbot’s questions, until another is set through the admin API. */
export const chatbot = z
  .strictObject({
    builtin: flag().prefault(true).describe('Answers common questions by rules while no model is configured.'),
    provider: text('a name such as "openai"').optional().describe('Name of the provider, for display only.'),
    apiEndpoint: text('a URL such as "https://api.openai.com/v1"')
      .optional()
      .describe('URL of a model provider with OpenAI’s API. `PUT /v1/chatbot/config` overrides it.'),
    model: text('the name of a model').optional().describe('Its model.'),
    apiKey: text(`a key, best written as "\${MODEL_API_KEY}"`)
      .transform((value) => new SecretText(value))
      .meta({ type: 'string' })
      .optional()
      .describe('Its key. Use an environment variable here, or the file.'),
    apiKeyFile: text('the path of a file that holds the key')
      .optional()
      .describe('A file that holds the key, such as a mounted Secret; read again for each chat.'),
    temperature: z
      .number({ error: 'a number from 0 to 2' })
      .min(0, { error: 'a number from 0 to 2' })
      .max(2, { error: 'a number from 0 to 2' })
      .default(0.1)
      .describe('Sampling temperature, 0 to 2.'),
  })
  .refine(({ apiKey, apiKeyFile }) => apiKey === undefined || apiKeyFile === undefined, {
    error: 'one of apiKey and apiKeyFile: remove the other',
  })
  .prefault({})
  .describe('The chatbot of the admin API.');

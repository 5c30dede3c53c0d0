import * as z from 'zod';
import { type Config, readTokenFile } from '../../config/index.ts';
import { readServerUrl } from '../../outgoing/index.ts';
import { isMask, parseKept } from '../settings/index.ts';
import { ChatSettingsError } from './chatbot-error.ts';

const temperature = z.number().min(0).max(2);
const provider = z.string().max(64);
const apiEndpoint = z.string().max(2048);
const model = z.string().max(256);

/** What they are kept as. */
export const settingsName = 'chatbot';

/** Settings as they are kept. */
const keptSettings = z.strictObject({
  provider,
  apiEndpoint,
  model,
  temperature,
  /** Absent: as the configuration file has it, if it is for the same server. */
  apiKey: z.string().optional(),
});

export type KeptChatSettings = z.infer<typeof keptSettings>;

/** What `PUT` is given; what is left out stays. Fields that only answers have may come along, for those who send back what they read. */
export const chatSettingsBody = z
  .strictObject({
    provider: provider.optional().describe('What the provider is called; shown, and no more'),
    apiEndpoint: apiEndpoint.optional().describe('http or https, such as `https://api.openai.com/v1`; `""` for none'),
    apiKey: z
      .string()
      .max(4096)
      .regex(/^[\x21-\x7e]*$/, 'has characters that no key has')
      .nullish()
      .describe('Absent or masked: the one that is kept; `""`: none'),
    model: model.optional(),
    temperature: temperature.optional().describe('0 to 2'),
    ...Object.fromEntries(
      ['configured', 'mode', 'apiKeySet', 'origin', 'place', 'test'].map((name) => [name, z.unknown().optional()]),
    ),
  })
  .meta({
    id: 'ChatbotSettings',
    description: 'What `PUT` is given; what is left out stays. Fields that only answers have may come along.',
  });

export type ChatSettingsBody = z.infer<typeof chatSettingsBody>;

/** What was kept, or undefined. Throws when it is not ours. */
export const readKeptChat = (value: unknown): KeptChatSettings | undefined =>
  parseKept(keptSettings, settingsName, value);

/** Settings in use, the key and all. */
export interface ChatSettings {
  readonly provider: string;
  /** `''`: no model is configured, as when `model` is. */
  readonly apiEndpoint: string;
  readonly apiKey: string;
  readonly model: string;
  readonly temperature: number;
  /** Who set them. */
  readonly origin: 'none' | 'configuration' | 'settings';
}

/** What is kept, else what the configuration file has. A key's file is read again each time. Throws a ConfigError when it cannot be. */
export function chatSettingsInUse(kept: KeptChatSettings | undefined, defaults: Config['chatbot']): ChatSettings {
  const { provider = '', apiEndpoint = '', model = '', temperature } = defaults;
  if (kept === undefined) {
    const origin = apiEndpoint === '' ? 'none' : 'configuration';
    return { provider, apiEndpoint, model, temperature, apiKey: keyOf(defaults), origin };
  }
  const inherits = kept.apiKey === undefined && isSameServer(kept.apiEndpoint, apiEndpoint);
  return { ...kept, apiKey: inherits ? keyOf(defaults) : (kept.apiKey ?? ''), origin: 'settings' };
}

function keyOf({ apiKey, apiKeyFile }: Config['chatbot']): string {
  return apiKeyFile === undefined ? (apiKey?.reveal() ?? '') : readTokenFile(apiKeyFile).reveal();
}

/** Whether there is a model to ask. */
export const hasModel = ({ apiEndpoint, model }: ChatSettings): boolean => apiEndpoint !== '' && model !== '';

/**
 * What is to be kept after a change. A key is never carried over to another server: who may set the address must not be able to have it
 * sent somewhere. Throws a ChatSettingsError that names each fault.
 */
export function changedChatSettings(
  body: ChatSettingsBody,
  kept: KeptChatSettings | undefined,
  inUse: ChatSettings,
): KeptChatSettings {
  const apiEndpoint = body.apiEndpoint ?? inUse.apiEndpoint;
  const { fault } = apiEndpoint === '' ? {} : readServerUrl(apiEndpoint);
  if (fault !== undefined) throw new ChatSettingsError([{ path: 'apiEndpoint', message: fault }]);
  const given = body.apiKey == null || isMask(body.apiKey) ? undefined : body.apiKey;
  if (
    given === undefined &&
    apiEndpoint !== '' &&
    inUse.apiKey !== '' &&
    !isSameServer(apiEndpoint, inUse.apiEndpoint)
  ) {
    const message = 'is kept for another server: give it again, or "" for none';
    throw new ChatSettingsError([{ path: 'apiKey', message }]);
  }
  // A key goes with its server, or the next one that is named would have it.
  const isServerGone = apiEndpoint === '' && inUse.apiEndpoint !== '';
  const apiKey = given ?? (isServerGone ? undefined : kept?.apiKey);
  return {
    provider: body.provider ?? inUse.provider,
    apiEndpoint,
    model: body.model ?? inUse.model,
    temperature: body.temperature ?? inUse.temperature,
    ...(apiKey !== undefined && { apiKey }),
  };
}

/** A key that no server was named for yet goes to the first that is. */
const isSameServer = (a: string, b: string): boolean => {
  if (a === '' || b === '') return true;
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin === new URL(b).origin;
};

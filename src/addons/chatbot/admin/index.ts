import type { RouterContext } from '@koa/router';
import type { Addon } from '../../../admin/index.ts';
import {
  bind,
  bodyErrors,
  type Endpoint,
  get,
  HttpError,
  invalidQuery,
  parseBody,
  post,
  readObject,
  whole,
} from '../../../admin/index.ts';
import { settingsEndpoints, settingsError, settingsErrors } from '../../settings/admin/index.ts';
import { type Chatbot, ChatError, ChatSettingsError, chatBody, chatRequestOf, chatSettingsBody } from '../index.ts';
import { ChatStream } from './chat-stream.ts';
import * as schemas from './schemas.ts';

export interface ChatbotSources {
  readonly chatbot: Chatbot;
}

export const maxChatBytes = 64 * 1024;
const heartbeatMs = 15_000;
const tag = 'Chatbot';

/** `/v1/chatbot/…` */
export const chatbotEndpoints: readonly Endpoint<ChatbotSources>[] = [
  ...settingsEndpoints({
    path: '/v1/chatbot/config',
    tag,
    summaries: {
      get: 'Which model answers, or that rules do; the key masked',
      put: 'Sets the model, and says whether its provider answers; a masked or absent key stays as it is',
    },
    config: schemas.chatbotConfig,
    changed: schemas.changedChatbotConfig,
    body: chatSettingsBody,
    errorOf: chatError,
    of: ({ chatbot }: ChatbotSources) => chatbot,
  }),
  get({
    path: '/v1/chatbot/docs',
    tag,
    summary: 'What documentation and examples of this release say about some English words',
    answer: schemas.docs,
    query: { query: 'English words, at most 400 letters', limit: 'How many passages at most, up to 20; 6 by default' },
    errors: ['query_invalid'],
    handle: async ({ query }, { chatbot }: ChatbotSources) => {
      const words = query.get('query') ?? '';
      if (words.length > 400) throw invalidQuery('query', 'expected 400 letters at most');
      const hits = await chatbot.searchDocs(words, whole('limit', query.get('limit') ?? '6', 1, 20));
      return { hits: [...hits] };
    },
  }),
  // A chat changes nothing, but may cost money: neither a page of another site nor the token for reading begins one.
  post({
    path: '/v1/chatbot/chat',
    tag,
    summary: 'Answers a question about this gateway as it is found out; changes nothing',
    body: chatBody,
    media: 'text/event-stream',
    errors: [...bodyErrors, ...settingsErrors, 'chatbot_not_configured', 'chatbot_busy', 'origin_foreign'],
    isAudited: false,
    errorOf: chatError,
    handle: ({ ctx }, { chatbot }: ChatbotSources) => openChat(ctx, chatbot),
  }),
];

async function openChat(ctx: RouterContext, chatbot: Chatbot): Promise<ChatStream> {
  checkSize(ctx);
  const request = chatRequestOf(parseBody(chatBody, await readObject(ctx), 'body_malformed'));
  const left = new AbortController();
  const events = await chatbot.chat(request, left.signal);
  ctx.status = 200;
  ctx.set('Content-Type', 'text/event-stream');
  // Neither gathered nor compressed on the way, or words would come in heaps.
  ctx.set('Cache-Control', 'no-store, no-transform');
  ctx.set('X-Accel-Buffering', 'no');
  return new ChatStream({ events, left, heartbeatMs });
}

function checkSize(ctx: RouterContext): void {
  const { body } = ctx.request as typeof ctx.request & { body?: unknown };
  if (typeof body === 'string' && Buffer.byteLength(body) > maxChatBytes)
    throw new HttpError('body_too_large', 'the body of a chat is larger than 64 KiB: send less of the history');
}

/** What a failure of the chat or of its settings means to a client; anything else stays as it is. */
function chatError(caught: unknown): unknown {
  if (caught instanceof ChatSettingsError)
    return new HttpError('settings_invalid', caught.message, { details: caught.details });
  if (!(caught instanceof ChatError)) return settingsError(caught);
  return caught.code === 'busy'
    ? new HttpError('chatbot_busy', caught.message, { headers: { 'Retry-After': '5' } })
    : new HttpError('chatbot_not_configured', caught.message);
}

/** Chats about this gateway. */
export const chatbotAddon = (chatbot: Chatbot): Addon => ({
  endpoints: bind(chatbotEndpoints, { chatbot }),
  capabilities: async () => ({ chatbot: await chatbot.isUsable().catch(() => false), settings: true }),
});

import type { Router, RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { type Chatbot, chatBody, chatRequestOf, chatSettingsBody } from '../../addons/chatbot/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { audit } from '../auth/audit.ts';
import { HttpError, readQuery } from '../http/index.ts';
import { parseBody, readBodyText, readObject } from '../resource/read-body.ts';
import { ChatStream } from './chat-stream.ts';
import { mapped } from './service-errors.ts';

export interface ChatbotRoutes {
  readonly chatbot: Chatbot;
  readonly logger: Logger;
  /** Goes before writes, and before chats. */
  readonly guard: Middleware;
  /** 15,000 by default. */
  readonly heartbeatMs?: number;
}

export const maxChatBytes = 64 * 1024;

/** Adds `/v1/chatbot/…` to the router of Layout 1. `tag` goes around reads. */
export function mountChatbot(router: Router, tag: Middleware, options: ChatbotRoutes): void {
  const { chatbot, logger, guard, heartbeatMs = 15_000 } = options;
  router.get('/v1/chatbot/config', tag, mapped, async (ctx) => {
    readQuery(ctx, []);
    ctx.body = await chatbot.config();
  });
  router.put('/v1/chatbot/config', audit(logger), mapped, guard, readBodyText, async (ctx) => {
    readQuery(ctx, []);
    ctx.body = await chatbot.change(parseBody(chatSettingsBody, await readObject(ctx), 'settings_invalid'));
  });
  // A chat changes nothing, but may cost money: neither a page of another site nor the token for reading begins one.
  router.post('/v1/chatbot/chat', mapped, guard, readBodyText, async (ctx: RouterContext) => {
    readQuery(ctx, []);
    checkSize(ctx);
    const request = chatRequestOf(parseBody(chatBody, await readObject(ctx), 'body_malformed'));
    const left = new AbortController();
    const events = await chatbot.chat(request, left.signal);
    ctx.status = 200;
    ctx.set('Content-Type', 'text/event-stream');
    // Neither gathered nor compressed on the way, or words would come in heaps.
    ctx.set('Cache-Control', 'no-store, no-transform');
    ctx.set('X-Accel-Buffering', 'no');
    ctx.body = new ChatStream({ events, left, heartbeatMs });
  });
}

function checkSize(ctx: RouterContext): void {
  const { body } = ctx.request as typeof ctx.request & { body?: unknown };
  if (typeof body === 'string' && Buffer.byteLength(body) > maxChatBytes)
    throw new HttpError('body_too_large', 'the body of a chat is larger than 64 KiB: send less of the history');
}

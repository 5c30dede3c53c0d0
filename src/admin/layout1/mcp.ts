import type { Router, RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import type { AskAdmin } from '../../addons/chatbot/index.ts';
import type { ServeMcp } from '../../addons/mcp/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { HttpError, readQuery } from '../http/index.ts';
import { readBodyText, readObject } from '../resource/read-body.ts';
import { whileAsked } from '../resource/while-asked.ts';

export interface McpRoutes {
  readonly ask: AskAdmin;
  readonly version: string;
  readonly logger: Logger;
  /** Goes before whatever is asked. */
  readonly guard: Middleware;
}

/** What the protocol reads; neither token nor cookie is passed on. */
const passed = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** Adds `POST /mcp`: the chat's tools by the Model Context Protocol. Pages of other sites are refused, as the protocol asks for. */
export function mountMcp(router: Router, { ask, version, logger, guard }: McpRoutes): void {
  let service: Promise<ServeMcp> | undefined;
  const load = async (): Promise<ServeMcp> => {
    const { createMcpService } = await import('../../addons/mcp/index.ts');
    return createMcpService({ ask, version, onError: (error) => logger.debug({ err: error }, 'MCP request refused') });
  };
  router.post('/mcp', guard, readBodyText, async (ctx: RouterContext) => {
    readQuery(ctx, []);
    if (!ctx.is('application/json')) throw new HttpError('media_type_unsupported', 'send application/json');
    service ??= load();
    const serve = await service;
    const message = await readObject(ctx);
    await whileAsked(ctx, async (signal) => answer(ctx, await serve(message, headersOf(ctx), signal)));
  });
}

function headersOf(ctx: RouterContext): Headers {
  const headers = new Headers({ 'content-type': 'application/json' });
  for (const name of passed) {
    const value = ctx.get(name);
    if (value !== '') headers.set(name, value);
  }
  return headers;
}

async function answer(ctx: RouterContext, response: Response): Promise<void> {
  const text = await response.text();
  const type = response.headers.get('content-type');
  ctx.body = text === '' ? null : text;
  ctx.status = response.status;
  if (type !== null) ctx.set('Content-Type', type);
}

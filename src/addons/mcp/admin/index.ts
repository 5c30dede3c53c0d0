import type { RouterContext } from '@koa/router';
import * as z from 'zod';
import type { Addon, AddonHost } from '../../../admin/index.ts';
import { bind, bodyErrors, type Endpoint, HttpError, question, readObject, whileAsked } from '../../../admin/index.ts';
import type { Logger } from '../../../telemetry/index.ts';
import type { ServeMcp } from '../index.ts';

export interface McpSources {
  /** Loads what answers: the library is large, and few ask. */
  readonly mcp: () => Promise<ServeMcp>;
}

/** What the protocol reads; neither token nor cookie is passed on. */
const passed = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** `POST /mcp`: the chat's tools by the Model Context Protocol. Pages of other sites are rejected, as the protocol asks for. */
export const mcpEndpoints: readonly Endpoint<McpSources>[] = [
  question({
    path: '/mcp',
    tag: 'Chatbot',
    summary: 'The chat’s tools by the Model Context Protocol (streamable HTTP, stateless); the read-only token may ask',
    body: z
      .looseObject({ jsonrpc: z.literal('2.0'), method: z.string() })
      .meta({ id: 'McpRequest', description: 'A message of the Model Context Protocol.' }),
    answer: z
      .looseObject({ jsonrpc: z.literal('2.0') })
      .meta({ id: 'McpAnswer', description: 'The answer by the same protocol.' }),
    errors: [...bodyErrors, 'origin_foreign'],
    isGuarded: true,
    async handle({ ctx }, { mcp }: McpSources) {
      if (!ctx.is('application/json')) throw new HttpError('media_type_unsupported', 'send application/json');
      const serve = await mcp();
      const message = await readObject(ctx);
      await whileAsked(ctx, async (signal) => answer(ctx, await serve(message, headersOf(ctx), signal)));
      return undefined;
    },
  }),
];

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

export interface McpOptions {
  readonly version: string;
  readonly logger: Logger;
}

/** The tools for other programs' models. */
export function mcpAddon({ ask }: AddonHost, { version, logger }: McpOptions): Addon {
  let service: Promise<ServeMcp> | undefined;
  const load = async (): Promise<ServeMcp> => {
    const { createMcpService } = await import('../index.ts');
    return createMcpService({ ask, version, onError: (error) => logger.debug({ err: error }, 'MCP request rejected') });
  };
  const mcp = () => {
    service ??= load();
    return service;
  };
  return { endpoints: bind(mcpEndpoints, { mcp }) };
}

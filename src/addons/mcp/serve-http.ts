import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createMcpServer, type McpServerParts } from './create-mcp-server.ts';

/** One message of a client over HTTP, answered in JSON; nothing is kept between two of them. */
export type ServeMcp = (message: unknown, headers: Headers, signal: AbortSignal) => Promise<Response>;

/** Serves MCP over HTTP (streamable, stateless), of the newest revision of the protocol and of those that begin with `initialize`. */
export function createMcpService(parts: McpServerParts & { readonly onError: (error: Error) => void }): ServeMcp {
  const newest = createMcpHandler(() => createMcpServer(parts), {
    legacy: 'reject',
    onerror: parts.onError,
  });
  return async (message, headers, signal) => {
    // What we answer is JSON whatever a client takes; the library insists on both.
    headers.set('accept', 'application/json, text/event-stream');
    const body = JSON.stringify(message);
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body, signal });
    if (!(await isLegacyRequest(request, message))) return newest.fetch(request, { parsedBody: message });
    const server = createMcpServer(parts);
    const close = () => void server.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      // In JSON the answer is whole when it is there.
      return await transport.handleRequest(request, { parsedBody: message });
    } finally {
      signal.removeEventListener('abort', close);
      close();
    }
  };
}

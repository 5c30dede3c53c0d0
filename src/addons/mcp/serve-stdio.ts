import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer, type McpServerParts } from './create-mcp-server.ts';

/** Serves MCP on standard input and output until the input ends. */
export async function serveMcpOnStdio(parts: McpServerParts): Promise<void> {
  const ended = once(process.stdin, 'end');
  const { close } = serveStdio(() => createMcpServer(parts));
  await ended;
  await close();
}

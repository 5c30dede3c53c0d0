import type { AdminClient } from './kit/admin-client.ts';

/** Serves MCP on standard input and output, with tools that ask the control plane, until the input ends. */
export async function serveMcp(client: AdminClient, version: string): Promise<void> {
  // No other command should wait for the library.
  const { serveMcpOnStdio } = await import('../addons/mcp/index.ts');
  await serveMcpOnStdio({ version, ask: (question, signal) => client.ask(question, signal) });
}

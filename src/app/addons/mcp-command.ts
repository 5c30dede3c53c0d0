import { asking, type CommandModule, type CommonOptions, run } from '../../cli/index.ts';

/** The chatbot's tools for MCP clients, until the input ends. */
export const mcpCommand: CommandModule = (program, io) =>
  asking(program, 'mcp', 'serves what the chat can ask to MCP clients, on standard input and output').action(
    (options: CommonOptions) =>
      run(options, io, async (client) => {
        const { serveMcpOnStdio } = await import('../../addons/mcp/index.ts');
        await serveMcpOnStdio({ version: io.version, ask: (question, signal) => client.ask(question, signal) });
        return true;
      }),
  );

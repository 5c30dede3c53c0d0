import { mcpCommand } from './addons/mcp-command.ts';
import { main as mainWith } from './main.ts';

/** Builds everything: the only room that may import all others. */
export const main = (): Promise<void> =>
  mainWith({
    load: async () => (await import('./addons/build-add-ons.ts')).buildAddOns,
    commands: [mcpCommand],
  });

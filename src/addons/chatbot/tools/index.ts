/** Questions about this gateway, for a chat's model, its rules and MCP clients alike. They speak to nothing but the admin API. */
export { runTool } from './run-tool.ts';
export { tools } from './table.ts';
export type * as wire from './wire.ts';

/** A chat about this gateway, and the tools that it has in common with MCP. Everything it knows it asks of the admin API. */
export type { AskAdmin } from './ask-admin.ts';
export { chatBody, chatRequestOf } from './chat-request.ts';
export { Chatbot } from './chatbot.ts';
export { ChatError, ChatSettingsError } from './chatbot-error.ts';
export { type ChatEvent, endText, eventText, keepAliveText } from './events.ts';
export { chatSettingsBody } from './settings.ts';
export { runTool, tools } from './tools/index.ts';

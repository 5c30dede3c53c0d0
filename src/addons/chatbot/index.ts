/** A chat about this gateway, and the tools that it has in common with MCP. Everything it knows it asks of the admin API. */
export { type AdminAnswer, type AdminQuestion, AdminRejection, type AskAdmin, withQuery } from './ask-admin.ts';
export { type ChatBody, type ChatRequest, chatBody, chatRequestOf } from './chat-request.ts';
export { Chatbot, type ChatbotOptions, type ChatConfig } from './chatbot.ts';
export { ChatError, type ChatErrorCode, ChatSettingsError } from './chatbot-error.ts';
export { type ChatEvent, endText, eventText, keepAliveText } from './events.ts';
export { type ChatSettingsBody, chatSettingsBody } from './settings.ts';
export { runTool, type Tool, type ToolOutcome, tools } from './tools/index.ts';

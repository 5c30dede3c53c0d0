/** One of aiOperations as OpenTelemetry calls it, for whom every API that answers a conversation is a chat. */
export const operationName = (operation: string): string => (operation === 'responses' ? 'chat' : operation);

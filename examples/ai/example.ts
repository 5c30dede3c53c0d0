import { chatAndReport } from '../../scripts/example/ai-chats.ts';
import type { Example } from '../../scripts/example/example.ts';

const models = { host: 'ai.localhost', port: 8080, path: '/v1/models' } as const;

export const example: Example = {
  // The fake providers are on this machine; users' objects may lead there only if the operator allows it.
  allowedAddresses: ['127.0.0.1/32'],
  models: { openai: 'openai', anthropic: 'anthropic' },
  requests: [{ ...models, expect: { status: 200, headers: { 'content-type': 'application/json' } } }],
  after: chatAndReport,
};

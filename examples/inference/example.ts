import type { Example } from '../../scripts/example/example.ts';
import { chatWithPool } from '../../scripts/example/pool-chats.ts';

const models = { host: 'models.localhost', port: 8080, path: '/v1/models' } as const;

export const example: Example = {
  // The fake provider outside is on this machine; users' objects may lead there only if the operator allows it.
  allowedAddresses: ['127.0.0.1/32'],
  pools: ['llama'],
  models: { outside: 'anthropic' },
  requests: [{ ...models, expect: { status: 200, headers: { 'content-type': 'application/json' } } }],
  after: chatWithPool,
};

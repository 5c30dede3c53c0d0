import type { Example } from '../../scripts/example/example.ts';

const shop = { host: 'shop.localhost', port: 8080 } as const;
const served = { status: 200, backend: 'shop' } as const;

export const example: Example = {
  processorBackends: ['guard', 'pricing'],
  requests: [
    // Of two processors the Gateway's is asked first: the other one's header stands on the request.
    {
      ...shop,
      path: '/',
      expect: { ...served, sees: { 'x-processed': 'pricing' }, headers: { 'x-processed': 'guard' } },
    },
    { ...shop, path: '/health', expect: { ...served, sees: { 'x-processed': 'guard' } } },
    { ...shop, path: '/', headers: { 'x-block': 'yes' }, expect: { status: 403 } },
  ],
};

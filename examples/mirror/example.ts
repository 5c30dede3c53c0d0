import type { Example } from '../../scripts/example/example.ts';

export const example: Example = {
  requests: [
    {
      host: 'shop.localhost',
      port: 8080,
      path: '/cart',
      expect: { status: 200, backend: 'shop', path: '/cart', copies: ['audit'] },
    },
    { host: 'shop.localhost', port: 8080, path: '/pay', repeat: 20, expect: { status: 200, copies: ['audit'] } },
  ],
};
